-- name: heads_of
-- The columns of scan_messages for each of these numbers (a JSON array), downwards. NULLs for a message that somebody has deleted.
SELECT wanted.value, coalesce(m.tenant_id, k.tenant_id), coalesce(m.topic, k.topic), coalesce(m.dispatch_key, k.dispatch_key),
       coalesce(m.priority, k.priority), coalesce(m.event_id, k.event_id), coalesce(m.created_at, k.created_at),
       coalesce(m.available_at, k.available_at)
FROM json_each(?1) AS wanted
LEFT JOIN "{outbox}" AS m ON m.sequence = wanted.value
LEFT JOIN "{outbox}_kept" AS k ON m.sequence IS NULL AND k.sequence = wanted.value
ORDER BY wanted.value DESC

-- name: times_of
-- When each of these messages (a JSON array of numbers) was created and may be sent, in their order; NULLs where somebody has
-- deleted the message.
SELECT coalesce(m.created_at, k.created_at), coalesce(m.available_at, k.available_at)
FROM json_each(?1) AS wanted
LEFT JOIN "{outbox}" AS m ON m.sequence = wanted.value
LEFT JOIN "{outbox}_kept" AS k ON m.sequence IS NULL AND k.sequence = wanted.value
GROUP BY wanted.key ORDER BY wanted.key

-- name: scan_messages
-- Downwards between two numbers, ?3 at most, with the columns that come before the content: what is passed is not read. The last
-- two come after it, and are there only when ?4 asks for them.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, iif(?4, created_at, NULL), iif(?4, available_at, NULL)
FROM "{outbox}" WHERE sequence > ?1 AND sequence < ?2
UNION ALL
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, iif(?4, created_at, NULL), iif(?4, available_at, NULL)
FROM "{outbox}_kept" WHERE sequence > ?1 AND sequence < ?2
ORDER BY sequence DESC LIMIT ?3

-- name: waiting_numbers
-- By indexes that hold these alone: there may be far more of those that have ended.
SELECT sequence FROM "{outbox}_parked" INDEXED BY "{outbox}_parked_due" WHERE state = 'waiting' AND sequence < ?1
UNION
SELECT sequence FROM "{outbox}_parked" INDEXED BY "{outbox}_parked_count" WHERE state = 'held' AND sequence < ?1
ORDER BY sequence DESC LIMIT ?2

-- name: under_way_numbers
SELECT DISTINCT sequence FROM "{outbox}_parked" INDEXED BY "{outbox}_parked_due"
WHERE state = 'waiting' AND owner IS NOT NULL AND sequence < ?1 ORDER BY sequence DESC LIMIT ?2

-- name: dead_numbers
SELECT DISTINCT sequence FROM "{outbox}_parked"
WHERE state IN ('dead', 'quarantined') AND sequence < ?1 AND state = ?3 ORDER BY sequence DESC LIMIT ?2

-- name: numbers_of_event
SELECT sequence, tenant_id FROM "{outbox}" WHERE tenant_id = ?1 AND event_id = ?2
UNION ALL
SELECT sequence, tenant_id FROM "{outbox}_kept" WHERE event_id = ?2 AND tenant_id = ?1

-- name: numbers_of_any_event
-- Whichever tenant's it is: two steps down the index per tenant, however many messages there are.
WITH RECURSIVE tenant (id) AS (
  SELECT min(tenant_id) FROM "{outbox}"
  UNION ALL
  SELECT (SELECT min(tenant_id) FROM "{outbox}" WHERE tenant_id > tenant.id) FROM tenant WHERE tenant.id IS NOT NULL
)
SELECT m.sequence, m.tenant_id FROM tenant CROSS JOIN "{outbox}" AS m ON m.tenant_id = tenant.id AND m.event_id = ?1
UNION ALL
SELECT sequence, tenant_id FROM "{outbox}_kept" WHERE event_id = ?1

-- name: count_rewind
-- Of the rows from ?1 on: how many, and how many are older than the turn that had settled their number first.
SELECT count(*), count(CASE WHEN created_at < (
    SELECT at FROM "{outbox}_turn" WHERE lane = ?2 AND settled >= m.sequence ORDER BY settled, turn LIMIT 1) THEN 1 END)
FROM "{outbox}" AS m WHERE sequence >= ?1 AND topic <> 'makegood.anchor'

-- name: read_whole_message
-- In the log or, as the last column tells, kept.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at, 0
FROM "{outbox}" WHERE sequence = ?1
UNION ALL
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at, 1
FROM "{outbox}_kept" WHERE sequence = ?1
LIMIT 1
