-- name: list_dead
-- Those that pass a filter (?1 to ?8, in which an empty text and a NULL mean: all) after (?9, ?10), ?11 at most. They are found by the
-- index alone, unless the filter names a topic.
WITH found AS (
  SELECT p.sequence, p.destination, p.event_id FROM "{outbox}_parked" AS p
  WHERE p.state IN ('dead', 'quarantined') AND (p.sequence, p.destination) > (?9, ?10)
    AND (?1 = '' OR p.tenant_id = ?1) AND (?2 = '' OR p.destination = ?2) AND (?3 = '' OR p.error_code = ?3)
    AND (?4 = '' OR p.state = ?4) AND (?5 IS NULL OR p.changed_at >= ?5) AND (?6 IS NULL OR p.changed_at < ?6)
    AND ((?7 = '' AND ?8 = '') OR EXISTS (
      SELECT 1 FROM (
        SELECT coalesce((SELECT topic FROM "{outbox}" WHERE sequence = p.sequence AND event_id = p.event_id),
                        (SELECT topic FROM "{outbox}_kept" WHERE sequence = p.sequence AND event_id = p.event_id), '') AS topic)
      WHERE (?7 = '' OR topic GLOB ?7) AND (?8 = '' OR substr(topic, 1, length(?8)) <> ?8)))
  ORDER BY p.sequence, p.destination LIMIT ?11
)
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay, p.changed_at, p.story,
       coalesce((SELECT topic FROM "{outbox}" WHERE sequence = p.sequence AND event_id = p.event_id),
                (SELECT topic FROM "{outbox}_kept" WHERE sequence = p.sequence AND event_id = p.event_id), '')
FROM found CROSS JOIN "{outbox}_parked" AS p
  ON p.sequence = found.sequence AND p.destination = found.destination AND p.event_id = found.event_id
ORDER BY found.sequence, found.destination

-- name: count_dead_letters
-- Those that pass a filter. By the index alone, unless the filter names a topic.
SELECT count(*) FROM "{outbox}_parked" AS p
WHERE p.state IN ('dead', 'quarantined')
    AND (?1 = '' OR p.tenant_id = ?1) AND (?2 = '' OR p.destination = ?2) AND (?3 = '' OR p.error_code = ?3)
    AND (?4 = '' OR p.state = ?4) AND (?5 IS NULL OR p.changed_at >= ?5) AND (?6 IS NULL OR p.changed_at < ?6)
    AND ((?7 = '' AND ?8 = '') OR EXISTS (
      SELECT 1 FROM (
        SELECT coalesce((SELECT topic FROM "{outbox}" WHERE sequence = p.sequence AND event_id = p.event_id),
                        (SELECT topic FROM "{outbox}_kept" WHERE sequence = p.sequence AND event_id = p.event_id), '') AS topic)
      WHERE (?7 = '' OR topic GLOB ?7) AND (?8 = '' OR substr(topic, 1, length(?8)) <> ?8)))

-- name: group_dead
-- The largest ?9 groups of those that pass a filter, each with its newest as an example.
WITH dead AS (
  SELECT p.destination, p.error_code, p.changed_at, p.sequence,
         coalesce((SELECT topic FROM "{outbox}" WHERE sequence = p.sequence AND event_id = p.event_id),
                (SELECT topic FROM "{outbox}_kept" WHERE sequence = p.sequence AND event_id = p.event_id), '') AS topic
  FROM "{outbox}_parked" AS p
  WHERE p.state IN ('dead', 'quarantined')
    AND (?1 = '' OR p.tenant_id = ?1) AND (?2 = '' OR p.destination = ?2) AND (?3 = '' OR p.error_code = ?3)
    AND (?4 = '' OR p.state = ?4) AND (?5 IS NULL OR p.changed_at >= ?5) AND (?6 IS NULL OR p.changed_at < ?6)
), grouped AS (
  SELECT topic, destination, error_code, count(*) AS count, min(changed_at) AS first_at, max(changed_at) AS last_at,
         max(sequence) AS example
  FROM dead WHERE (?7 = '' OR topic GLOB ?7) AND (?8 = '' OR substr(topic, 1, length(?8)) <> ?8)
  GROUP BY topic, destination, error_code ORDER BY count(*) DESC, topic, destination, error_code LIMIT ?9
)
SELECT topic, destination, error_code, count, first_at, last_at, example,
       (SELECT last_error FROM "{outbox}_parked" AS one
        WHERE one.sequence = example AND one.destination = grouped.destination AND one.error_code = grouped.error_code LIMIT 1)
FROM grouped ORDER BY count DESC, topic, destination, error_code

-- name: read_dead_letter
-- The parked deliveries of the message that has the number now, whatever their state; to one destination, if one is named.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay, p.changed_at, p.story,
       coalesce((SELECT topic FROM "{outbox}" WHERE sequence = p.sequence AND event_id = p.event_id),
                (SELECT topic FROM "{outbox}_kept" WHERE sequence = p.sequence AND event_id = p.event_id), '')
FROM "{outbox}_parked" AS p
WHERE p.sequence = ?1 AND (?2 = '' OR p.destination = ?2)
  AND p.event_id = coalesce((SELECT event_id FROM "{outbox}" WHERE sequence = ?1), p.event_id)
ORDER BY p.destination

-- name: blocked_keys
WITH head AS (
  SELECT tenant_id, dispatch_key, destination, min(sequence) AS sequence
  FROM "{outbox}_parked" WHERE blocks = 1 AND dispatch_key <> ''
  GROUP BY tenant_id, dispatch_key, destination ORDER BY min(sequence) LIMIT ?1
)
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay,
       (SELECT count(*) FROM "{outbox}_parked" AS behind
        WHERE behind.blocks = 1 AND behind.sequence > head.sequence AND behind.destination = head.destination
          AND behind.tenant_id = head.tenant_id AND behind.dispatch_key = head.dispatch_key
          AND behind.state IN ('waiting', 'held'))
FROM head JOIN "{outbox}_parked" AS p ON p.sequence = head.sequence AND p.destination = head.destination AND p.blocks = 1
ORDER BY p.sequence, p.destination
