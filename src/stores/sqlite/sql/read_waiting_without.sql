-- As read_waiting, without some tenants (a JSON array). Theirs are passed on the index alone, however many there are.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths
FROM "{outbox}_parked" AS due CROSS JOIN "{outbox}_parked" AS p
  ON p.sequence = due.sequence AND p.destination = due.destination
WHERE due.state = 'waiting' AND due.destination = ?1 AND due.tenant_id NOT IN (SELECT value FROM json_each(?4))
  AND (p.owner IS NULL OR p.owner <> ?2)
ORDER BY due.due_at, due.sequence LIMIT ?3
