SELECT sequence, event_id, tenant_id, topic, dispatch_key, payload, body, content_type, headers, envelope_id, traceparent,
       tracestate, priority, created_at, available_at, expires_at
FROM "{outbox}_kept" WHERE sequence = ?1
