-- The columns of scan_messages, downwards. NULLs for a message that somebody has deleted.
SELECT wanted.sequence, m.tenant_id, m.topic, m.dispatch_key, m.priority, m.event_id, m.created_at, m.available_at
FROM unnest($1) AS wanted (sequence)
LEFT JOIN LATERAL (
  SELECT tenant_id, topic, dispatch_key, priority, event_id, created_at, available_at
  FROM {outbox} WHERE sequence = wanted.sequence
  UNION ALL
  SELECT tenant_id, topic, dispatch_key, priority, event_id, created_at, available_at
  FROM {outbox}_kept WHERE sequence = wanted.sequence
  LIMIT 1
) AS m ON true
ORDER BY wanted.sequence DESC
