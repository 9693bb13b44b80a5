-- name: blocking_parked
SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths, answered, event_id, replay
FROM "{outbox}_parked" WHERE blocks = 1 ORDER BY sequence, destination

-- name: earliest_due
-- One step down the index per destination, however many rows wait.
WITH RECURSIVE place (destination) AS (
  SELECT min(destination) FROM "{outbox}_parked" WHERE state = 'waiting'
  UNION ALL
  SELECT (SELECT min(destination) FROM "{outbox}_parked" WHERE state = 'waiting' AND destination > place.destination)
  FROM place WHERE place.destination IS NOT NULL
)
SELECT destination, (SELECT min(due_at) FROM "{outbox}_parked" AS p
                     WHERE p.state = 'waiting' AND p.destination = place.destination)
FROM place WHERE destination IS NOT NULL

-- name: parked_counts
SELECT destination, count(*) FROM "{outbox}_parked"
WHERE state = 'held' OR (state = 'waiting' AND attempts > 0) GROUP BY destination
