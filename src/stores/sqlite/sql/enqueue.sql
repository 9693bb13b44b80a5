-- name: insert_message
INSERT INTO "{outbox}" (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers,
                        envelope_id, traceparent, tracestate, created_at, available_at, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
ON CONFLICT (tenant_id, event_id) DO NOTHING

-- name: find_event
SELECT sequence,
       topic = ?3 AND coalesce(dispatch_key, '') = ?4 AND priority = ?5 AND payload IS ?6 AND body IS ?7
         AND coalesce(content_type, '') = ?8 AND coalesce(headers, '') = ?9
FROM "{outbox}" WHERE tenant_id = ?2 AND event_id = ?1
