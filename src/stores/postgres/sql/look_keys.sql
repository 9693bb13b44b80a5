-- As look_beyond, with a number that stands for tenant and key: while something is open below, rows may have to wait for others of
-- their key. Without the ranges of look_numbers a drain takes a tenth less time.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at,
       CASE WHEN dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
FROM {outbox} WHERE sequence > $1 ORDER BY sequence LIMIT $2
