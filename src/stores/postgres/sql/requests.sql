-- name: append_request
INSERT INTO {outbox}_request (kind, sequence, destination, operator, reason, tenant_id, until, document, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, clock_timestamp())) RETURNING id

-- name: answer_to
SELECT done_at, result FROM {outbox}_request WHERE id = $1

-- name: answer_requests
UPDATE {outbox}_request AS r SET done_at = turn.at, result = answer.result
FROM unnest($1::bigint[], $2::text[]) AS answer (id, result),
     (SELECT at FROM {outbox}_turn WHERE lane = $3 ORDER BY turn DESC LIMIT 1) AS turn
WHERE r.id = ANY($1) AND r.id = answer.id AND r.done_at IS NULL

-- name: read_requests
-- What is asked about the log comes first: while a lane is stopped, nothing else can be done.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay,
       r.id, r.kind, r.sequence, r.destination, r.operator, r.reason, r.tenant_id, r.until, r.document
FROM (
  SELECT * FROM {outbox}_request WHERE done_at IS NULL ORDER BY kind IN ('rewind', 'go_on') DESC, id LIMIT $1
) AS r
LEFT JOIN LATERAL (SELECT * FROM {outbox}_parked AS one
                   WHERE one.sequence = r.sequence AND one.destination = r.destination
                     AND one.event_id = coalesce((SELECT event_id FROM {outbox} WHERE sequence = r.sequence), one.event_id)
                   LIMIT 1) AS p ON true
ORDER BY r.kind IN ('rewind', 'go_on') DESC, r.id

-- name: list_requests
SELECT id, kind, sequence, destination, operator, reason, tenant_id, until, document, created_at, done_at, result
FROM {outbox}_request WHERE id < $1 ORDER BY id DESC LIMIT $2

-- name: requests_about
SELECT id, kind, sequence, destination, operator, reason, tenant_id, until, document, created_at, done_at, result
FROM {outbox}_request WHERE sequence = $1 AND sequence > 0 ORDER BY id
