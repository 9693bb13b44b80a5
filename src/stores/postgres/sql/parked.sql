-- name: park
-- Without an error code the errors stay as they are, unless it is replayed: then it begins anew. The story keeps its first note and
-- the newest 31. A note is NULL when there is none. All at the time of the turn that was just appended. Without an event id it is
-- the one of whoever has the number now.
INSERT INTO {outbox}_parked AS p (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at,
                                  owner, error_code, last_error, story, parked_at, changed_at, answered, event_id,
                                  replay)
SELECT sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at, owner, error_code,
       last_error, CASE WHEN note IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(note) END, turn.at, turn.at, answered,
       coalesce(nullif(event_id, ''), (SELECT m.event_id FROM {outbox} AS m WHERE m.sequence = change.sequence),
                (SELECT max(k.event_id) FROM {outbox}_kept AS k WHERE k.sequence = change.sequence), ''), replay
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::boolean[], $8::bigint[], $9::bigint[],
            $10::timestamptz[], $11::text[], $12::text[], $13::text[], $14::json[], $15::bigint[], $16::text[], $17::bigint[])
  AS change (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at, owner, error_code,
             last_error, note, answered, event_id, replay),
  (SELECT at FROM {outbox}_turn WHERE lane = $18 ORDER BY turn DESC LIMIT 1) AS turn
ON CONFLICT (sequence, destination, event_id) DO UPDATE SET
  state = excluded.state, blocks = excluded.blocks, attempts = excluded.attempts, due_at = excluded.due_at,
  owner = excluded.owner, deaths = excluded.deaths, answered = excluded.answered, replay = excluded.replay,
  error_code = CASE WHEN excluded.error_code = '' AND excluded.story -> 0 ->> 'outcome' IS DISTINCT FROM 'replayed'
                    THEN p.error_code ELSE excluded.error_code END,
  last_error = CASE WHEN excluded.error_code = '' AND excluded.story -> 0 ->> 'outcome' IS DISTINCT FROM 'replayed'
                    THEN p.last_error ELSE excluded.last_error END,
  changed_at = excluded.changed_at,
  story = CASE WHEN jsonb_array_length(p.story) < 32 OR excluded.story = '[]' THEN p.story ELSE p.story - 1 END
          || excluded.story

-- name: set_back_due
-- The clock was set back by $1 microseconds, from $2: what waits for a retry, or was due already, is due so much earlier. What was never
-- tried is a message for later, and waits for its time. All that waits is looked at, once for each time that the clock is set back.
UPDATE {outbox}_parked SET due_at = due_at - $1 * interval '1 microsecond'
WHERE state = 'waiting' AND (attempts > 0 OR due_at <= $2)

-- name: parked_of
-- Of several messages; without the stories.
SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths, answered, event_id, replay, changed_at
FROM {outbox}_parked WHERE sequence = ANY($1)

-- name: read_anew
-- For a turn that goes back to $1: what lies beyond it begins anew, except what an operator has put away.
DELETE FROM {outbox}_parked AS p
WHERE sequence > $1 AND state <> 'quarantined'
  AND EXISTS (SELECT 1 FROM {outbox} AS m WHERE m.sequence = p.sequence AND m.event_id = p.event_id)

-- name: end_gone
-- Nothing blocks its key for a message that is gone, and what still waited for it is dead. Of those that are kept, only one whose number
-- another message has now.
UPDATE {outbox}_parked AS p SET
  blocks = false, owner = NULL,
  state = CASE WHEN state IN ('waiting', 'held') THEN 'dead' ELSE state END,
  error_code = CASE WHEN state IN ('waiting', 'held') THEN $1 ELSE error_code END,
  last_error = CASE WHEN state IN ('waiting', 'held') THEN $2 ELSE last_error END,
  changed_at = CASE WHEN state IN ('waiting', 'held') THEN (SELECT at FROM {outbox}_turn WHERE lane = $3 ORDER BY turn DESC LIMIT 1)
                    ELSE changed_at END
WHERE (blocks OR state IN ('waiting', 'held'))
  AND NOT EXISTS (SELECT 1 FROM {outbox} AS m WHERE m.sequence = p.sequence AND m.event_id = p.event_id)
  AND (EXISTS (SELECT 1 FROM {outbox} AS m WHERE m.sequence = p.sequence)
       OR NOT EXISTS (SELECT 1 FROM {outbox}_kept AS k WHERE k.sequence = p.sequence AND k.event_id = p.event_id))

-- name: put_away
-- What an operator has put away, of messages that are in the log.
SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths, answered, event_id, replay
FROM {outbox}_parked AS p
WHERE state = 'quarantined'
  AND EXISTS (SELECT 1 FROM {outbox} AS m WHERE m.sequence = p.sequence AND m.event_id = p.event_id)
