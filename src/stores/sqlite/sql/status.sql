-- name: status_views
DROP VIEW IF EXISTS "{outbox}_status_003";
DROP VIEW IF EXISTS "{outbox}_status";

-- Each message with what has become of it, derived from the last turn, the parked deliveries and, where a side lane is
-- open, the routes.
CREATE VIEW "{outbox}_status" AS
WITH
  message AS (
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, created_at, available_at
    FROM "{outbox}"
    UNION ALL
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, created_at, available_at
    FROM "{outbox}_kept"
  ),
  last AS (SELECT at, reached, position FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1),
  -- A replay of history runs beside the lane that carries the scope, and changes nothing for its messages.
  side AS (
    SELECT lane.key AS number, json_extract(lane.value, '$.destination') AS destination,
           json_extract(lane.value, '$.tenant_id') AS tenant_id,
           json_extract(lane.value, '$.dispatch_key') AS dispatch_key,
           json_extract(lane.value, '$.priority') AS priority,
           json_extract(lane.value, '$.reached') AS reached,
           json_extract(lane.value, '$.under_way') AS under_way,
           (json_extract(lane.value, '$.tenant_id') IS NOT NULL) +
             (json_extract(lane.value, '$.dispatch_key') IS NOT NULL) +
             (json_extract(lane.value, '$.priority') IS NOT NULL) AS depth
    FROM last, json_each(last.position, '$.sides') AS lane
    WHERE json_extract(lane.value, '$.why') <> 'history'
  ),
  -- A star means the same to GLOB as in a pattern; what else GLOB takes for a sign stands for itself.
  route AS (
    SELECT version.version, json_extract(entry.value, '$.destination') AS destination,
           replace(replace(json_extract(entry.value, '$.pattern'), '[', '[[]'), '?', '[?]') AS pattern,
           (SELECT json_extract(target.value, '$.tenant_id') FROM json_each(version.document, '$.destinations') AS target
            WHERE json_extract(target.value, '$.name') = json_extract(entry.value, '$.destination')) AS tenant_id
    FROM "{outbox}_route" AS version, json_each(version.document, '$.routes') AS entry
  ),
  -- Numbers are told by the lengths of their runs, those that are left out first; in old turns by pairs of first and last.
  listed (id, is_open, numbers) AS (
    SELECT 'd' || destination.key, false, destination.value
    FROM last, json_each(last.position, '$.under_way') AS destination
    UNION ALL
    SELECT 's' || number, false, under_way FROM side
    UNION ALL
    SELECT 'o', true, json_extract(position, '$.open') FROM last
  ),
  run AS (
    SELECT is_open, entry.key AS place, entry.value AS length, entry.type AS type,
           sum(entry.value) OVER (PARTITION BY listed.id ORDER BY entry.key) AS ends
    FROM listed, json_each(listed.numbers) AS entry
  ),
  hole (is_open, low, high) AS (
    SELECT is_open, ends - length, ends - 1 FROM run WHERE type <> 'array' AND place % 2 = 1
    UNION ALL
    SELECT is_open, json_extract(length, '$[0]'), json_extract(length, '$[1]') FROM run WHERE type = 'array'
  ),
  under_way AS (SELECT low, high FROM hole WHERE NOT is_open),
  open AS (SELECT low, high FROM hole WHERE is_open),
  parked AS (
    SELECT sequence, event_id, max(attempts) AS attempts, max(changed_at) AS changed_at,
           max(CASE WHEN state = 'waiting' THEN due_at END) AS due_at,
           max(CASE WHEN state <> 'done' THEN nullif(last_error, '') END) AS last_error,
           max(state = 'dead') AS is_dead, max(state = 'quarantined') AS is_quarantined,
           max(owner IS NOT NULL) AS is_under_way, max(state IN ('waiting', 'held')) AS is_waiting
    FROM "{outbox}_parked" GROUP BY sequence, event_id
  ),
  known AS (
-- include: status_state
            AND EXISTS (
              SELECT 1 FROM route
              WHERE route.version = (SELECT max(version) FROM "{outbox}_route" WHERE from_sequence < message.sequence)
                AND route.destination = side.destination AND message.topic GLOB route.pattern
                AND coalesce(route.tenant_id, message.tenant_id) = message.tenant_id)) THEN 'pending'
        ELSE 'done'
      END AS state
    FROM message LEFT JOIN parked ON parked.sequence = message.sequence AND parked.event_id = message.event_id
  ),
  timed AS (
    SELECT known.*,
      CASE WHEN state = 'done' THEN coalesce(
        changed_at,
        (SELECT at FROM "{outbox}_turn" WHERE lane = 0 AND settled >= known.sequence ORDER BY settled, turn LIMIT 1),
        (SELECT at FROM last)) END AS published_ms,
      CASE WHEN state = 'leased' THEN iif(is_in_hole, (SELECT at FROM last), changed_at) END AS locked_ms
    FROM known
  )
SELECT
  event_id AS id, tenant_id, topic, payload, event_id, sequence,
  strftime('%Y-%m-%d %H:%M:%f', created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%d %H:%M:%f', published_ms / 1000.0, 'unixepoch') AS published_at,
  coalesce(attempts, state IN ('done', 'leased')) AS attempts,
  strftime('%Y-%m-%d %H:%M:%f', coalesce(due_at, available_at, created_at) / 1000.0, 'unixepoch') AS available_at,
  strftime('%Y-%m-%d %H:%M:%f', locked_ms / 1000.0, 'unixepoch') AS locked_at,
  last_error, state, dispatch_key,
  strftime('%Y-%m-%d %H:%M:%f',
           max(created_at, coalesce(changed_at, 0), coalesce(published_ms, 0), coalesce(locked_ms, 0)) / 1000.0,
           'unixepoch') AS changed_at
FROM timed;

-- The same in other words.
CREATE VIEW "{outbox}_status_003" AS
SELECT
  sequence AS id, tenant_id, topic AS event_type, dispatch_key AS aggregate_id, payload,
  CASE WHEN state = 'done' THEN 'SENT' WHEN state IN ('dead', 'quarantined') THEN 'FAILED' ELSE 'PENDING' END AS status,
  max(attempts - 1, 0) AS retry_count,
  available_at AS next_retry_time, created_at AS create_time,
  changed_at AS update_time
FROM "{outbox}_status";
