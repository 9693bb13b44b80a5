-- In the log or, as the last column tells, kept.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at, false
FROM {outbox} WHERE sequence = $1
UNION ALL
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at, true
FROM {outbox}_kept WHERE sequence = $1
LIMIT 1
