-- A content that is large where it is stored is left out, and read by itself if there is room for it.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at
FROM {outbox} WHERE sequence > $1 ORDER BY sequence LIMIT $2
