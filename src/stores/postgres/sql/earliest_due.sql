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
