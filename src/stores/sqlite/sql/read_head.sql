-- Of a message in the log or kept: the columns of scan_messages.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id FROM "{outbox}" WHERE sequence = ?1
UNION ALL
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id FROM "{outbox}_kept" WHERE sequence = ?1
LIMIT 1
