-- Of one tenant, if one is named, from the number $2 on. A page ends between two messages, not between two deliveries of one.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.changed_at, p.story::text, m.topic, m.event_id
FROM (
  SELECT * FROM {outbox}_parked
  WHERE state IN ('dead', 'quarantined') AND sequence >= $2 AND ($1 = '' OR tenant_id = $1)
  ORDER BY sequence FETCH FIRST ($3) ROWS WITH TIES
) AS p
LEFT JOIN LATERAL (
  SELECT topic, event_id FROM {outbox} WHERE sequence = p.sequence
  UNION ALL
  SELECT topic, event_id FROM {outbox}_kept WHERE sequence = p.sequence
  LIMIT 1
) AS m ON true
ORDER BY p.sequence, p.destination
