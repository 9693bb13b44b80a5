-- Upwards between two numbers, $3 at most, with the columns that a scope asks about.
SELECT sequence, tenant_id, topic, dispatch_key, priority
FROM {outbox} WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $3
