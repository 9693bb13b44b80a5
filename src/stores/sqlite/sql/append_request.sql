INSERT INTO "{outbox}_request" (kind, sequence, destination, operator, reason, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id
