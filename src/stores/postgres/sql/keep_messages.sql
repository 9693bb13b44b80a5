INSERT INTO {outbox}_kept
  (sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
   traceparent, tracestate, created_at, available_at, expires_at)
SELECT m.sequence, m.event_id, m.tenant_id, m.topic, m.dispatch_key, m.priority, m.payload, m.body, m.content_type,
       m.headers, m.envelope_id, m.traceparent, m.tracestate, m.created_at, m.available_at, m.expires_at
FROM (SELECT DISTINCT sequence FROM {outbox}_parked WHERE sequence > $1 AND sequence <= $2 AND state <> 'done') AS needed,
     LATERAL (SELECT * FROM {outbox} AS one WHERE one.sequence = needed.sequence LIMIT 1) AS m
ON CONFLICT (sequence) DO NOTHING
