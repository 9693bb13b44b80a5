WITH head AS (
  SELECT tenant_id, dispatch_key, destination, min(sequence) AS sequence
  FROM "{outbox}_parked" WHERE blocks = 1 AND dispatch_key <> ''
  GROUP BY tenant_id, dispatch_key, destination ORDER BY min(sequence) LIMIT ?1
)
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths,
       (SELECT count(*) FROM "{outbox}_parked" AS behind
        WHERE behind.blocks = 1 AND behind.sequence > head.sequence AND behind.destination = head.destination
          AND behind.tenant_id = head.tenant_id AND behind.dispatch_key = head.dispatch_key
          AND behind.state IN ('waiting', 'held'))
FROM head JOIN "{outbox}_parked" AS p ON p.sequence = head.sequence AND p.destination = head.destination
ORDER BY p.sequence, p.destination
