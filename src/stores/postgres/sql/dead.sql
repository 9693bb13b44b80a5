-- name: list_dead
-- Those that pass a filter ($1 to $8, in which an empty text and a NULL mean: all) after ($9, $10), $11 at most.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay, p.changed_at, p.story::text, m.topic
FROM {outbox}_parked AS p
LEFT JOIN LATERAL (
  SELECT topic FROM {outbox} WHERE sequence = p.sequence AND event_id = p.event_id
  UNION ALL
  SELECT topic FROM {outbox}_kept WHERE sequence = p.sequence AND event_id = p.event_id
  LIMIT 1
) AS m ON true
WHERE p.state IN ('dead', 'quarantined') AND (p.sequence, p.destination) > ($9, $10)
  AND ($1 = '' OR p.tenant_id = $1) AND ($2 = '' OR p.destination = $2) AND ($3 = '' OR p.error_code = $3)
  AND ($4 = '' OR p.state = $4) AND ($5 IS NULL OR p.changed_at >= $5) AND ($6 IS NULL OR p.changed_at < $6)
  AND ($7 = '' OR coalesce(m.topic, '') LIKE $7) AND ($8 = '' OR NOT starts_with(coalesce(m.topic, ''), $8))
ORDER BY p.sequence, p.destination LIMIT $11

-- name: count_dead_letters
-- Those that pass a filter. By the index alone, unless the filter names a topic.
SELECT count(*) FROM {outbox}_parked AS p
WHERE p.state IN ('dead', 'quarantined')
  AND ($1 = '' OR p.tenant_id = $1) AND ($2 = '' OR p.destination = $2) AND ($3 = '' OR p.error_code = $3)
  AND ($4 = '' OR p.state = $4) AND ($5 IS NULL OR p.changed_at >= $5) AND ($6 IS NULL OR p.changed_at < $6)
  AND (($7 = '' AND $8 = '') OR EXISTS (
    SELECT 1 FROM (
      SELECT topic FROM {outbox} WHERE sequence = p.sequence AND event_id = p.event_id
      UNION ALL
      SELECT topic FROM {outbox}_kept WHERE sequence = p.sequence AND event_id = p.event_id
      LIMIT 1
    ) AS m
    WHERE ($7 = '' OR m.topic LIKE $7) AND ($8 = '' OR NOT starts_with(m.topic, $8))))

-- name: group_dead
-- The largest $9 groups of those that pass a filter, each with its newest as an example.
WITH grouped AS (
  SELECT coalesce(m.topic, '') COLLATE "C" AS topic, p.destination COLLATE "C" AS destination,
         p.error_code COLLATE "C" AS error_code, count(*) AS count,
         min(p.changed_at) AS first_at, max(p.changed_at) AS last_at, max(p.sequence) AS example
  FROM {outbox}_parked AS p
  LEFT JOIN LATERAL (
    SELECT topic FROM {outbox} WHERE sequence = p.sequence AND event_id = p.event_id
    UNION ALL
    SELECT topic FROM {outbox}_kept WHERE sequence = p.sequence AND event_id = p.event_id
    LIMIT 1
  ) AS m ON true
  WHERE p.state IN ('dead', 'quarantined')
    AND ($1 = '' OR p.tenant_id = $1) AND ($2 = '' OR p.destination = $2) AND ($3 = '' OR p.error_code = $3)
    AND ($4 = '' OR p.state = $4) AND ($5 IS NULL OR p.changed_at >= $5) AND ($6 IS NULL OR p.changed_at < $6)
    AND ($7 = '' OR coalesce(m.topic, '') LIKE $7) AND ($8 = '' OR NOT starts_with(coalesce(m.topic, ''), $8))
  GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT $9
)
SELECT g.topic, g.destination, g.error_code, g.count, g.first_at, g.last_at, g.example, p.last_error
FROM grouped AS g,
     LATERAL (SELECT last_error FROM {outbox}_parked AS one
              WHERE one.sequence = g.example AND one.destination = g.destination AND one.error_code = g.error_code LIMIT 1) AS p
ORDER BY g.count DESC, g.topic, g.destination, g.error_code

-- name: read_dead_letter
-- The parked deliveries of the message that has the number now, whatever their state; to one destination, if one is named.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay, p.changed_at, p.story::text, m.topic
FROM {outbox}_parked AS p
LEFT JOIN LATERAL (
  SELECT topic FROM {outbox} WHERE sequence = p.sequence AND event_id = p.event_id
  UNION ALL
  SELECT topic FROM {outbox}_kept WHERE sequence = p.sequence AND event_id = p.event_id
  LIMIT 1
) AS m ON true
WHERE p.sequence = $1 AND ($2 = '' OR p.destination = $2)
  AND p.event_id = coalesce((SELECT event_id FROM {outbox} WHERE sequence = $1), p.event_id)
ORDER BY p.destination

-- name: blocked_keys
-- The head of each blocked key, the oldest first, with how many wait behind it.
WITH head AS (
  SELECT tenant_id, dispatch_key, destination, min(sequence) AS sequence
  FROM {outbox}_parked WHERE blocks AND dispatch_key <> ''
  GROUP BY tenant_id, dispatch_key, destination ORDER BY min(sequence) LIMIT $1
)
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay,
       (SELECT count(*) FROM {outbox}_parked AS behind
        WHERE behind.blocks AND behind.tenant_id = head.tenant_id AND behind.dispatch_key = head.dispatch_key
          AND behind.destination = head.destination AND behind.sequence > head.sequence
          AND behind.state IN ('waiting', 'held'))
FROM head JOIN {outbox}_parked AS p ON p.sequence = head.sequence AND p.destination = head.destination AND p.blocks
ORDER BY p.sequence, p.destination
