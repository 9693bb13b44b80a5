-- name: clean_boundary
-- Old turns are at the low end, so only the lowest are looked at, from ?3 on.
SELECT max(settled), max(turn), min(turn) FROM (
  SELECT turn, settled, at FROM "{outbox}_turn" WHERE lane = ?4 AND turn >= ?3 ORDER BY turn LIMIT ?2
) WHERE at < ?1

-- name: clean_range
-- From where the last step ended (?1): what has appeared below since was drawn again, and nobody has read it.
SELECT max(sequence), count(*) FROM (
  SELECT sequence FROM "{outbox}" WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence LIMIT ?3)

-- name: keep_messages
INSERT OR IGNORE INTO "{outbox}_kept"
  (sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
   traceparent, tracestate, created_at, available_at, expires_at)
SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at
FROM "{outbox}" AS m
WHERE (sequence, event_id) IN (
  SELECT sequence, event_id FROM "{outbox}_parked" WHERE sequence > ?1 AND sequence <= ?2 AND state <> 'done')

-- name: clean_log
DELETE FROM "{outbox}" WHERE sequence > ?1 AND sequence <= ?2

-- name: clean_turns
-- A turn stays while a row of the log above ?4 still gets its time of delivery from it; an anchor without content needs none. The last
-- turn always stays.
DELETE FROM "{outbox}_turn"
WHERE lane = ?5 AND turn IN (
  SELECT turn FROM "{outbox}_turn"
  WHERE lane = ?5 AND turn >= ?3 AND turn <= ?1 AND turn < (SELECT max(turn) FROM "{outbox}_turn" WHERE lane = ?5)
    AND settled < coalesce(
      (SELECT sequence FROM "{outbox}" WHERE sequence > ?4 AND topic <> 'makegood.anchor' ORDER BY sequence LIMIT 1), settled + 1)
  ORDER BY turn LIMIT ?2)

-- name: clean_done
DELETE FROM "{outbox}_parked"
WHERE (sequence, destination, event_id) IN (
  SELECT sequence, destination, event_id FROM "{outbox}_parked" WHERE state = 'done' AND changed_at < ?1 LIMIT ?2)
RETURNING sequence, event_id

-- name: clean_dead
-- A dead delivery that blocks its key stays: only an operator may let the next ones pass.
DELETE FROM "{outbox}_parked"
WHERE (sequence, destination, event_id) IN (
  SELECT sequence, destination, event_id FROM "{outbox}_parked" WHERE state = 'dead' AND changed_at < ?1 AND blocks = 0 LIMIT ?2)
RETURNING sequence, event_id

-- name: clean_kept
-- Of these messages (two JSON arrays, of numbers and events) those that no parked delivery needs any more.
DELETE FROM "{outbox}_kept" AS k
WHERE sequence IN (SELECT value FROM json_each(?1))
  AND EXISTS (SELECT 1 FROM json_each(?1) AS number JOIN json_each(?2) AS event ON event.key = number.key
              WHERE number.value = k.sequence AND event.value = k.event_id)
  AND NOT EXISTS (SELECT 1 FROM "{outbox}_parked" AS p WHERE p.sequence = k.sequence AND p.event_id = k.event_id)

-- name: clean_requests
-- Answered long enough ago, of the oldest; so a step never goes over more than ?2. An open one has no time yet, and stays.
DELETE FROM "{outbox}_request"
WHERE id IN (
  SELECT id FROM (SELECT id, done_at FROM "{outbox}_request" ORDER BY id LIMIT ?2) WHERE done_at < ?1)

-- name: is_drawn_again
-- Whether the counter is below the last one that was seen (?1), or a row lies where the log was cleaned (?2).
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{outbox}' COLLATE NOCASE), 0) < ?1
  OR EXISTS (SELECT 1 FROM "{outbox}" WHERE sequence <= ?2)

-- name: read_anchor
SELECT topic, event_id FROM "{outbox}" WHERE sequence = ?1
