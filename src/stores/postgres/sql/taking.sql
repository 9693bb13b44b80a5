-- name: blocking_parked
SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths, answered, event_id, replay
FROM {outbox}_parked WHERE blocks ORDER BY sequence, destination

-- name: earliest_due
-- One step down the index per destination, however many rows wait.
WITH RECURSIVE place (destination) AS (
  (SELECT destination FROM {outbox}_parked WHERE state = 'waiting' ORDER BY destination LIMIT 1)
  UNION ALL
  SELECT (SELECT p.destination FROM {outbox}_parked AS p
          WHERE p.state = 'waiting' AND p.destination > place.destination ORDER BY p.destination LIMIT 1)
  FROM place WHERE place.destination IS NOT NULL
)
SELECT destination, (SELECT p.due_at FROM {outbox}_parked AS p
                     WHERE p.state = 'waiting' AND p.destination = place.destination ORDER BY p.due_at LIMIT 1)
FROM place WHERE destination IS NOT NULL

-- name: parked_counts
SELECT destination, count(*) FROM {outbox}_parked
WHERE state = 'held' OR (state = 'waiting' AND attempts > 0) GROUP BY destination
