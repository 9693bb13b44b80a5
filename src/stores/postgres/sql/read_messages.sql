-- As in look_beyond, large contents are left out.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at
FROM unnest($1::bigint[]) AS wanted (number), LATERAL (SELECT * FROM {outbox} WHERE sequence = number LIMIT 1) AS row
