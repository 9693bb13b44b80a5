-- name: park
-- Without an error code the errors stay as they are, unless it is replayed: then it begins anew. The story keeps its first note and
-- the newest 31. ?14 is the note, as JSON; NULL when there is none. Without an event id (?17) it is the one of whoever has the
-- number now.
INSERT INTO "{outbox}_parked" (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, due_at, owner,
                               error_code, last_error, story, parked_at, changed_at, deaths, answered, event_id,
                               replay)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
        CASE WHEN ?14 IS NULL THEN '[]' ELSE json_array(json(?14)) END, ?13, ?13, ?15, ?16,
        coalesce(nullif(?17, ''), (SELECT event_id FROM "{outbox}" WHERE sequence = ?1),
                 (SELECT max(event_id) FROM "{outbox}_kept" WHERE sequence = ?1), ''), ?18)
ON CONFLICT (sequence, destination, event_id) DO UPDATE SET
  state = excluded.state, blocks = excluded.blocks, attempts = excluded.attempts, due_at = excluded.due_at,
  owner = excluded.owner, deaths = excluded.deaths, answered = excluded.answered, replay = excluded.replay,
  error_code = CASE WHEN excluded.error_code = '' AND json_extract(?14, '$.outcome') IS NOT 'replayed' THEN error_code
                    ELSE excluded.error_code END,
  last_error = CASE WHEN excluded.error_code = '' AND json_extract(?14, '$.outcome') IS NOT 'replayed' THEN last_error
                    ELSE excluded.last_error END,
  changed_at = excluded.changed_at,
  story = CASE WHEN ?14 IS NULL THEN story ELSE json_insert(
    CASE WHEN json_array_length(story) < 32 THEN story ELSE json_remove(story, '$[1]') END, '$[#]', json(?14)) END

-- name: set_back_due
-- The clock was set back by ?1, from ?2: what waits for a retry, or was due already, is due so much earlier. What was never tried is a
-- message for later, and waits for its time. All that waits is looked at, once for each time that the clock is set back.
UPDATE "{outbox}_parked" SET due_at = due_at - ?1
WHERE state = 'waiting' AND (attempts > 0 OR due_at <= ?2)

-- name: parked_of
-- Of several messages (a JSON array of numbers); without the stories.
SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths, answered, event_id, replay, changed_at
FROM "{outbox}_parked" WHERE sequence IN (SELECT value FROM json_each(?1))

-- name: read_anew
-- For a turn that goes back to ?1: what lies beyond it begins anew, except what an operator has put away.
DELETE FROM "{outbox}_parked" AS p
WHERE sequence > ?1 AND state <> 'quarantined'
  AND EXISTS (SELECT 1 FROM "{outbox}" AS m WHERE m.sequence = p.sequence AND m.event_id = p.event_id)

-- name: end_gone
-- Nothing blocks its key for a message that is gone, and what still waited for it is dead. Of those that are kept, only one whose number
-- another message has now.
UPDATE "{outbox}_parked" AS p SET
  blocks = 0, owner = NULL,
  state = CASE WHEN state IN ('waiting', 'held') THEN 'dead' ELSE state END,
  error_code = CASE WHEN state IN ('waiting', 'held') THEN ?1 ELSE error_code END,
  last_error = CASE WHEN state IN ('waiting', 'held') THEN ?2 ELSE last_error END,
  changed_at = CASE WHEN state IN ('waiting', 'held') THEN ?3 ELSE changed_at END
WHERE (blocks OR state IN ('waiting', 'held'))
  AND NOT EXISTS (SELECT 1 FROM "{outbox}" AS m WHERE m.sequence = p.sequence AND m.event_id = p.event_id)
  AND (EXISTS (SELECT 1 FROM "{outbox}" AS m WHERE m.sequence = p.sequence)
       OR NOT EXISTS (SELECT 1 FROM "{outbox}_kept" AS k WHERE k.sequence = p.sequence AND k.event_id = p.event_id))

-- name: put_away
-- What an operator has put away, of messages that are in the log.
SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths, answered, event_id, replay
FROM "{outbox}_parked" AS p
WHERE state = 'quarantined'
  AND EXISTS (SELECT 1 FROM "{outbox}" AS m WHERE m.sequence = p.sequence AND m.event_id = p.event_id)
