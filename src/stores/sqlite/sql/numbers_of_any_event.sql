-- Whichever tenant's it is: two steps down the index per tenant, however many messages there are.
WITH RECURSIVE tenant (id) AS (
  SELECT min(tenant_id) FROM "{outbox}"
  UNION ALL
  SELECT (SELECT min(tenant_id) FROM "{outbox}" WHERE tenant_id > tenant.id) FROM tenant WHERE tenant.id IS NOT NULL
)
SELECT m.sequence, m.tenant_id FROM tenant CROSS JOIN "{outbox}" AS m ON m.tenant_id = tenant.id AND m.event_id = ?1
UNION ALL
SELECT sequence, tenant_id FROM "{outbox}_kept" WHERE event_id = ?1
