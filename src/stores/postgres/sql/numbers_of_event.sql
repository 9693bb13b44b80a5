SELECT sequence, tenant_id FROM {outbox} WHERE tenant_id = $1 AND event_id = $2
UNION ALL
SELECT sequence, tenant_id FROM {outbox}_kept WHERE event_id = $2 AND tenant_id = $1
