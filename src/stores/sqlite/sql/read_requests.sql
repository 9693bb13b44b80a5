-- A rewind comes first: while the counter is behind, nothing else can be done.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths,
       r.id, r.kind, r.sequence, r.destination, r.operator, r.reason, r.tenant_id, r.until, r.document
FROM "{outbox}_request" AS r
LEFT JOIN "{outbox}_parked" AS p ON p.sequence = r.sequence AND p.destination = r.destination
WHERE r.done_at IS NULL ORDER BY r.kind = 'rewind' DESC, r.id LIMIT ?1
