SELECT id, kind, sequence, destination, operator, reason, tenant_id, until, document, created_at, done_at, result
FROM {outbox}_request WHERE sequence = $1 AND sequence > 0 ORDER BY id
