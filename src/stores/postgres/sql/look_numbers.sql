-- As look_beyond, and before it what has become visible of some ranges of numbers. In one statement, so that of two rows of one
-- key the later is never seen without the earlier. The ranges are in order, and each is read down its index.
WITH late AS MATERIALIZED (
  SELECT row.*
  FROM unnest($3::bigint[], $4::bigint[]) AS range (low, high),
       LATERAL (SELECT * FROM {outbox} WHERE sequence BETWEEN range.low AND range.high ORDER BY sequence LIMIT $2) AS row
  LIMIT $2
)
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at
FROM late
UNION ALL
(SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at
 FROM {outbox} WHERE sequence > $1 ORDER BY sequence LIMIT greatest($2 - (SELECT count(*) FROM late), 0))
