-- name: status_views
-- Each message with what has become of it, derived from the last turn, the parked deliveries and, where a side lane is
-- open, the routes.
CREATE OR REPLACE VIEW {outbox}_status AS
WITH
  message AS (
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, created_at, available_at
    FROM {outbox}
    UNION ALL
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, created_at, available_at
    FROM {outbox}_kept
  ),
  last AS (SELECT at, reached, position FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1),
  -- A replay of history runs beside the lane that carries the scope, and changes nothing for its messages.
  side AS (
    SELECT lane ->> 'destination' AS destination, lane ->> 'tenant_id' AS tenant_id,
           lane ->> 'dispatch_key' AS dispatch_key, (lane ->> 'priority')::bigint AS priority,
           (lane ->> 'reached')::bigint AS reached, lane -> 'under_way' AS under_way,
           (lane ->> 'tenant_id' IS NOT NULL)::int + (lane ->> 'dispatch_key' IS NOT NULL)::int +
             (lane ->> 'priority' IS NOT NULL)::int AS depth
    FROM last, json_array_elements(last.position -> 'sides') AS lane
    WHERE lane ->> 'why' <> 'history'
  ),
  -- A star means any text; what else LIKE takes for a sign stands for itself.
  route AS (
    SELECT version.version, entry ->> 'destination' AS destination,
           replace(replace(replace(replace(entry ->> 'pattern', '\', '\\'), '%', '\%'), '_', '\_'), '*', '%') AS pattern,
           (SELECT target ->> 'tenant_id' FROM json_array_elements(version.document -> 'destinations') AS target
            WHERE target ->> 'name' = entry ->> 'destination') AS tenant_id
    FROM {outbox}_route AS version, json_array_elements(version.document -> 'routes') AS entry
  ),
  -- Numbers are told by the lengths of their runs, those that are left out first.
  listed (is_open, numbers) AS (
    SELECT false, destination.value FROM last, json_each(last.position -> 'under_way') AS destination
    UNION ALL
    SELECT false, under_way FROM side
    UNION ALL
    SELECT true, position -> 'open' FROM last
  ),
  hole AS MATERIALIZED (
    SELECT is_open, ends - length AS low, ends - 1 AS high
    FROM listed,
         LATERAL (SELECT place, length, (sum(length) OVER (ORDER BY place))::bigint AS ends
                  FROM (SELECT place, value::text::bigint AS length
                        FROM json_array_elements(numbers) WITH ORDINALITY AS entry (value, place)) AS run) AS run
    WHERE place % 2 = 0
  ),
  under_way AS (SELECT low, high FROM hole WHERE NOT is_open),
  open AS (SELECT low, high FROM hole WHERE is_open),
  parked AS (
    SELECT sequence, event_id, max(attempts) AS attempts, max(changed_at) AS changed_at,
           max(CASE WHEN state = 'waiting' THEN due_at END) AS due_at,
           max(CASE WHEN state <> 'done' THEN nullif(last_error, '') END) AS last_error,
           bool_or(state = 'dead') AS is_dead, bool_or(state = 'quarantined') AS is_quarantined,
           bool_or(owner IS NOT NULL) AS is_under_way, bool_or(state IN ('waiting', 'held')) AS is_waiting
    FROM {outbox}_parked GROUP BY sequence, event_id
  ),
  known AS (
-- include: status_state
            AND EXISTS (
              SELECT 1 FROM route
              WHERE route.version = (SELECT max(version) FROM {outbox}_route WHERE from_sequence < message.sequence)
                AND route.destination = side.destination AND message.topic LIKE route.pattern
                AND coalesce(route.tenant_id, message.tenant_id) = message.tenant_id)) THEN 'pending'
        ELSE 'done'
      END AS state
    FROM message LEFT JOIN parked ON parked.sequence = message.sequence AND parked.event_id = message.event_id
  ),
  timed AS (
    SELECT known.*,
      CASE WHEN state = 'done' THEN coalesce(
        changed_at,
        (SELECT at FROM {outbox}_turn WHERE lane = 0 AND settled >= known.sequence ORDER BY settled, turn LIMIT 1),
        (SELECT at FROM last)) END AS published_at,
      CASE WHEN state = 'leased' THEN CASE WHEN is_in_hole THEN (SELECT at FROM last) ELSE changed_at END END AS locked_at
    FROM known
  )
SELECT
  event_id AS id, tenant_id, topic, payload, event_id, sequence, created_at, published_at,
  coalesce(attempts, (state IN ('done', 'leased'))::int) AS attempts,
  coalesce(due_at, available_at, created_at) AS available_at,
  locked_at, last_error, state, dispatch_key, greatest(created_at, changed_at, published_at, locked_at) AS changed_at
FROM timed;

-- The same in other words.
CREATE OR REPLACE VIEW {outbox}_status_003 AS
SELECT
  sequence AS id, tenant_id, topic AS event_type, dispatch_key AS aggregate_id, payload,
  CASE WHEN state = 'done' THEN 'SENT' WHEN state IN ('dead', 'quarantined') THEN 'FAILED' ELSE 'PENDING' END AS status,
  greatest(attempts - 1, 0) AS retry_count,
  available_at AS next_retry_time, created_at AS create_time,
  changed_at AS update_time
FROM {outbox}_status;
