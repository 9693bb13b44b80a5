-- A rewind comes first: while the counter is behind, nothing else can be done.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths,
       r.id, r.kind, r.sequence, r.destination, r.operator, r.reason, r.tenant_id, r.until, r.document
FROM (
  SELECT * FROM {outbox}_request WHERE done_at IS NULL ORDER BY kind = 'rewind' DESC, id LIMIT $1
) AS r
LEFT JOIN LATERAL (SELECT * FROM {outbox}_parked AS one
                   WHERE one.sequence = r.sequence AND one.destination = r.destination LIMIT 1) AS p ON true
ORDER BY r.kind = 'rewind' DESC, r.id
