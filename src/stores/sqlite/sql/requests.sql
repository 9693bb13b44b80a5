-- name: append_request
INSERT INTO "{outbox}_request" (kind, sequence, destination, operator, reason, tenant_id, until, document, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING id

-- name: answer_to
SELECT done_at, result FROM "{outbox}_request" WHERE id = ?1

-- name: answer_request
UPDATE "{outbox}_request" SET done_at = ?2, result = ?3 WHERE id = ?1 AND done_at IS NULL

-- name: read_requests
-- What is asked about the log comes first: while a lane is stopped, nothing else can be done.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay,
       r.id, r.kind, r.sequence, r.destination, r.operator, r.reason, r.tenant_id, r.until, r.document
FROM "{outbox}_request" AS r
LEFT JOIN "{outbox}_parked" AS p ON p.sequence = r.sequence AND p.destination = r.destination
  -- Of whoever has the number now.
  AND p.event_id = coalesce(
    (SELECT event_id FROM "{outbox}" WHERE sequence = r.sequence),
    (SELECT max(event_id) FROM "{outbox}_parked" WHERE sequence = r.sequence AND destination = r.destination))
WHERE r.done_at IS NULL ORDER BY r.kind IN ('rewind', 'go_on') DESC, r.id LIMIT ?1

-- name: list_requests
SELECT id, kind, sequence, destination, operator, reason, tenant_id, until, document, created_at, done_at, result
FROM "{outbox}_request" WHERE id < ?1 ORDER BY id DESC LIMIT ?2

-- name: requests_about
SELECT id, kind, sequence, destination, operator, reason, tenant_id, until, document, created_at, done_at, result
FROM "{outbox}_request" WHERE sequence = ?1 AND sequence > 0 ORDER BY id
