-- As look_beyond, and before it what has become visible of some ranges of numbers, $5 at most. In one statement, so that of two
-- rows of one key the later is never seen without the earlier. The ranges are in order, and each is read down its index. The last
-- column stands for tenant and key. The columns stand there twice: from a common table of all columns they take a fifth longer.
WITH late AS MATERIALIZED (
  SELECT row.*
  FROM unnest($3::bigint[], $4::bigint[]) AS range (low, high),
       LATERAL (SELECT * FROM {outbox} WHERE sequence BETWEEN range.low AND range.high ORDER BY sequence LIMIT $5) AS row
  LIMIT $5
)
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at,
       CASE WHEN dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
FROM late
UNION ALL
(SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at,
       CASE WHEN dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
 FROM {outbox} WHERE sequence > $1 AND $6 ORDER BY sequence LIMIT greatest($2 - (SELECT count(*) FROM late), 0))
