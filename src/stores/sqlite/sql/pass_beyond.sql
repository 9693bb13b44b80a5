-- The columns that a filter asks about, and no more: what is passed is not read. They are the first of read_beyond, too.
SELECT sequence, tenant_id, topic, dispatch_key, priority
FROM "{outbox}" WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence
