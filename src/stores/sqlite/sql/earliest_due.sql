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
