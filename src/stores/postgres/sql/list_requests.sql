SELECT id, kind, sequence, destination, operator, reason, tenant_id, until, document, created_at, done_at, result
FROM {outbox}_request WHERE id < $1 ORDER BY id DESC LIMIT $2
