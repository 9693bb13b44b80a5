-- The parked deliveries of one message, whatever their state; to one destination, if one is named.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.changed_at, p.story::text, m.topic, m.event_id
FROM {outbox}_parked AS p
LEFT JOIN LATERAL (
  SELECT topic, event_id FROM {outbox} WHERE sequence = p.sequence
  UNION ALL
  SELECT topic, event_id FROM {outbox}_kept WHERE sequence = p.sequence
  LIMIT 1
) AS m ON true
WHERE p.sequence = $1 AND ($2 = '' OR p.destination = $2)
ORDER BY p.destination
