-- Downwards between two numbers, with the columns that come before the content: what is passed is not read. The last one comes
-- after it, and is there only when ?3 asks for it.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, iif(?3, created_at, NULL)
FROM "{outbox}" WHERE sequence > ?1 AND sequence < ?2
UNION ALL
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, iif(?3, created_at, NULL)
FROM "{outbox}_kept" WHERE sequence > ?1 AND sequence < ?2
ORDER BY sequence DESC
