INSERT INTO {outbox}_request (kind, sequence, destination, operator, reason, tenant_id, until, document, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, clock_timestamp())) RETURNING id
