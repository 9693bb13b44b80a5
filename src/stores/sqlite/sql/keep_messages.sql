INSERT OR IGNORE INTO "{outbox}_kept"
  (sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
   traceparent, tracestate, created_at, available_at, expires_at)
SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at
FROM "{outbox}"
WHERE sequence IN (SELECT sequence FROM "{outbox}_parked" WHERE sequence BETWEEN ?1 AND ?2 AND state <> 'done')
