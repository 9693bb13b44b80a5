-- Without some tenants ($4): theirs are passed on the index alone, however many there are. Each row is then read by its key: LIMIT 1
-- leaves the planner no other way, not even while the table is empty.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths
FROM (
  SELECT sequence, destination, due_at FROM {outbox}_parked
  WHERE state = 'waiting' AND destination = $1 AND (owner IS NULL OR owner <> $2) AND NOT tenant_id = ANY($4)
  ORDER BY destination, due_at, sequence LIMIT $3
) AS due,
LATERAL (SELECT * FROM {outbox}_parked AS one
         WHERE one.sequence = due.sequence AND one.destination = due.destination LIMIT 1) AS p
ORDER BY due.due_at, due.sequence
