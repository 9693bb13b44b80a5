-- Whichever tenant's it is: two steps down the index per tenant, however many messages there are.
WITH RECURSIVE tenant (id) AS (
  SELECT min(tenant_id) FROM {outbox}
  UNION ALL
  SELECT (SELECT min(tenant_id) FROM {outbox} WHERE tenant_id > tenant.id) FROM tenant WHERE tenant.id IS NOT NULL
)
SELECT m.sequence, m.tenant_id
FROM tenant CROSS JOIN LATERAL (
  SELECT sequence, tenant_id FROM {outbox} WHERE tenant_id = tenant.id AND event_id = $1 LIMIT 1
) AS m
UNION ALL
SELECT sequence, tenant_id FROM {outbox}_kept WHERE event_id = $1
