-- Without an error code the errors stay as they are. The story keeps its first note and the newest 31. ?14 is the note, as
-- JSON; NULL when there is none.
INSERT INTO "{outbox}_parked" (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, due_at, owner,
                               error_code, last_error, story, parked_at, changed_at, deaths)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
        CASE WHEN ?14 IS NULL THEN '[]' ELSE json_array(json(?14)) END, ?13, ?13, ?15)
ON CONFLICT (sequence, destination) DO UPDATE SET
  state = excluded.state, blocks = excluded.blocks, attempts = excluded.attempts, due_at = excluded.due_at,
  owner = excluded.owner, deaths = excluded.deaths,
  error_code = CASE WHEN excluded.error_code = '' THEN error_code ELSE excluded.error_code END,
  last_error = CASE WHEN excluded.error_code = '' THEN last_error ELSE excluded.last_error END,
  changed_at = excluded.changed_at,
  story = CASE WHEN ?14 IS NULL THEN story ELSE json_insert(
    CASE WHEN json_array_length(story) < 32 THEN story ELSE json_remove(story, '$[1]') END, '$[#]', json(?14)) END
