-- Those that pass a filter ($1 to $8, in which an empty text and a NULL mean: all) after ($9, $10), $11 at most.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.changed_at, p.story::text, m.topic, m.event_id
FROM {outbox}_parked AS p
LEFT JOIN LATERAL (
  SELECT topic, event_id FROM {outbox} WHERE sequence = p.sequence
  UNION ALL
  SELECT topic, event_id FROM {outbox}_kept WHERE sequence = p.sequence
  LIMIT 1
) AS m ON true
WHERE p.state IN ('dead', 'quarantined') AND (p.sequence, p.destination) > ($9, $10)
  AND ($1 = '' OR p.tenant_id = $1) AND ($2 = '' OR p.destination = $2) AND ($3 = '' OR p.error_code = $3)
  AND ($4 = '' OR p.state = $4) AND ($5 IS NULL OR p.changed_at >= $5) AND ($6 IS NULL OR p.changed_at < $6)
  AND ($7 = '' OR coalesce(m.topic, '') LIKE $7) AND ($8 = '' OR NOT starts_with(coalesce(m.topic, ''), $8))
ORDER BY p.sequence, p.destination LIMIT $11
