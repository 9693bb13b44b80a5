-- The head of each blocked key, the oldest first, with how many wait behind it.
WITH head AS (
  SELECT tenant_id, dispatch_key, destination, min(sequence) AS sequence
  FROM {outbox}_parked WHERE blocks AND dispatch_key <> ''
  GROUP BY tenant_id, dispatch_key, destination ORDER BY min(sequence) LIMIT $1
)
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths,
       (SELECT count(*) FROM {outbox}_parked AS behind
        WHERE behind.blocks AND behind.tenant_id = head.tenant_id AND behind.dispatch_key = head.dispatch_key
          AND behind.destination = head.destination AND behind.sequence > head.sequence
          AND behind.state IN ('waiting', 'held'))
FROM head JOIN {outbox}_parked AS p ON p.sequence = head.sequence AND p.destination = head.destination
ORDER BY p.sequence, p.destination
