-- Downwards between two numbers, $3 at most: the log and what is kept of it. A limit for each, or all would be sorted first.
(SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, created_at, available_at
 FROM {outbox} WHERE sequence > $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3)
UNION ALL
(SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, created_at, available_at
 FROM {outbox}_kept WHERE sequence > $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3)
ORDER BY sequence DESC LIMIT $3
