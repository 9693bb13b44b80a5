-- name: heads_of
-- The columns of scan_messages, downwards. NULLs for a message that somebody has deleted.
SELECT wanted.sequence, m.tenant_id, m.topic, m.dispatch_key, m.priority, m.event_id, m.created_at, m.available_at
FROM unnest($1) AS wanted (sequence)
LEFT JOIN LATERAL (
  SELECT tenant_id, topic, dispatch_key, priority, event_id, created_at, available_at
  FROM {outbox} WHERE sequence = wanted.sequence
  UNION ALL
  SELECT tenant_id, topic, dispatch_key, priority, event_id, created_at, available_at
  FROM {outbox}_kept WHERE sequence = wanted.sequence
  LIMIT 1
) AS m ON true
ORDER BY wanted.sequence DESC

-- name: times_of
-- When each of these messages was created and may be sent, in their order; NULLs where somebody has deleted the message.
SELECT m.created_at, m.available_at
FROM unnest($1) WITH ORDINALITY AS wanted (sequence, place)
LEFT JOIN LATERAL (
  SELECT created_at, available_at FROM {outbox} WHERE sequence = wanted.sequence
  UNION ALL
  SELECT created_at, available_at FROM {outbox}_kept WHERE sequence = wanted.sequence
  LIMIT 1
) AS m ON true
ORDER BY wanted.place

-- name: scan_messages
-- Downwards between two numbers, $3 at most, whether or not the times are asked for ($4): the log and what is kept of it. A limit for each, or all would be sorted first.
(SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, created_at, available_at
 FROM {outbox} WHERE sequence > $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3)
UNION ALL
(SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, created_at, available_at
 FROM {outbox}_kept WHERE sequence > $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3)
ORDER BY sequence DESC LIMIT $3

-- name: waiting_numbers
SELECT DISTINCT sequence FROM {outbox}_parked
WHERE state IN ('waiting', 'held') AND sequence < $1 ORDER BY sequence DESC LIMIT $2

-- name: under_way_numbers
SELECT DISTINCT sequence FROM {outbox}_parked
WHERE state = 'waiting' AND owner IS NOT NULL AND sequence < $1 ORDER BY sequence DESC LIMIT $2

-- name: dead_numbers
SELECT DISTINCT sequence FROM {outbox}_parked
WHERE state IN ('dead', 'quarantined') AND sequence < $1 AND state = $3 ORDER BY sequence DESC LIMIT $2

-- name: numbers_of_event
SELECT sequence, tenant_id FROM {outbox} WHERE tenant_id = $1 AND event_id = $2
UNION ALL
SELECT sequence, tenant_id FROM {outbox}_kept WHERE event_id = $2 AND tenant_id = $1

-- name: numbers_of_any_event
-- Whichever tenant's it is: two steps down the index per tenant, however many messages there are.
WITH RECURSIVE tenant (id) AS (
  SELECT min(tenant_id) FROM {outbox}
  UNION ALL
  SELECT (SELECT min(tenant_id) FROM {outbox} WHERE tenant_id > tenant.id) FROM tenant WHERE tenant.id IS NOT NULL
)
SELECT m.sequence, m.tenant_id
FROM tenant CROSS JOIN LATERAL (
  SELECT sequence, tenant_id FROM {outbox} WHERE tenant_id = tenant.id AND event_id = $1 LIMIT 1
) AS m
UNION ALL
SELECT sequence, tenant_id FROM {outbox}_kept WHERE event_id = $1

-- name: count_rewind
-- Of the rows from $1 on: how many, and how many are older than the turn that had settled their number first.
SELECT count(*), count(*) FILTER (WHERE m.created_at < (
    SELECT at FROM {outbox}_turn WHERE lane = $2 AND settled >= m.sequence ORDER BY settled, turn LIMIT 1))
FROM {outbox} AS m WHERE sequence >= $1 AND topic <> 'makegood.anchor'

-- name: read_whole_message
-- In the log or, as the last column tells, kept.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at, false
FROM {outbox} WHERE sequence = $1
UNION ALL
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at, true
FROM {outbox}_kept WHERE sequence = $1
LIMIT 1

-- name: pass_beyond
-- Upwards between two numbers, $3 at most, with the columns that a scope asks about.
SELECT sequence, tenant_id, topic, dispatch_key, priority
FROM {outbox} WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $3
