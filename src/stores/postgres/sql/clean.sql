-- name: clean_boundary
-- Old turns are at the low end, so only the lowest are looked at; from $3 on, because those before it may be dead and still there.
SELECT max(settled), max(turn), min(turn) FROM (
  SELECT turn, settled, at FROM {outbox}_turn WHERE lane = $4 AND turn >= $3 ORDER BY turn LIMIT $2
) AS low WHERE at < $1

-- name: clean_range
SELECT max(sequence), count(*) FROM (
  SELECT sequence FROM {outbox} WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $3) AS low

-- name: keep_messages
INSERT INTO {outbox}_kept
  (sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
   traceparent, tracestate, created_at, available_at, expires_at)
SELECT m.sequence, m.event_id, m.tenant_id, m.topic, m.dispatch_key, m.priority, m.payload, m.body, m.content_type,
       m.headers, m.envelope_id, m.traceparent, m.tracestate, m.created_at, m.available_at, m.expires_at
FROM (SELECT DISTINCT sequence, event_id FROM {outbox}_parked WHERE sequence > $1 AND sequence <= $2 AND state <> 'done') AS needed,
     LATERAL (SELECT * FROM {outbox} AS one WHERE one.sequence = needed.sequence AND one.event_id = needed.event_id LIMIT 1) AS m
ON CONFLICT (sequence, event_id) DO NOTHING

-- name: clean_log
DELETE FROM {outbox} WHERE sequence > $1 AND sequence <= $2

-- name: clean_turns
-- A turn stays while a row of the log above $4 still gets its time of delivery from it; an anchor without content needs none. The last
-- turn always stays.
DELETE FROM {outbox}_turn
WHERE lane = $5 AND turn = ANY(ARRAY(
  SELECT turn FROM {outbox}_turn
  WHERE lane = $5 AND turn >= $3 AND turn <= $1
    AND turn < (SELECT max(turn) FROM {outbox}_turn WHERE lane = $5)
    AND settled < coalesce((
      SELECT sequence FROM {outbox} WHERE sequence > $4 AND topic <> 'makegood.anchor' ORDER BY sequence LIMIT 1), settled + 1)
  ORDER BY turn LIMIT $2))

-- name: clean_done
DELETE FROM {outbox}_parked
WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM {outbox}_parked WHERE state = 'done' AND changed_at < $1 LIMIT $2))
RETURNING sequence, event_id

-- name: clean_dead
-- A dead delivery that blocks its key stays: only an operator may let the next ones pass.
DELETE FROM {outbox}_parked
WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM {outbox}_parked
  WHERE state = 'dead' AND changed_at < $1 AND NOT blocks LIMIT $2))
RETURNING sequence, event_id

-- name: clean_kept
-- Of these messages those that no parked delivery needs any more.
DELETE FROM {outbox}_kept AS k
USING unnest($1::bigint[], $2::text[]) AS ended (sequence, event_id)
WHERE k.sequence = ANY($1) AND k.sequence = ended.sequence AND k.event_id = ended.event_id
  AND (SELECT true FROM {outbox}_parked AS p WHERE p.sequence = k.sequence AND p.event_id = k.event_id LIMIT 1) IS NULL

-- name: clean_requests
-- Answered long enough ago, of the oldest; so a step never goes over more than $2. An open one has no time yet, and stays.
DELETE FROM {outbox}_request
WHERE id = ANY(ARRAY(
  SELECT id FROM (SELECT id, done_at FROM {outbox}_request ORDER BY id LIMIT $2) AS low WHERE done_at < $1))

-- name: is_drawn_again
-- Whether the counter is below the last one that was seen ($1), or a row lies where the log was cleaned ($2).
SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {outbox}_number) < $1
  OR coalesce((SELECT true FROM {outbox} WHERE sequence <= $2 ORDER BY sequence LIMIT 1), false)

-- name: read_anchor
SELECT topic, event_id FROM {outbox} WHERE sequence = $1
