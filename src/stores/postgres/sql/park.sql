-- Without an error code the errors stay as they are. The story keeps its first note and the newest 31. A note is NULL when there
-- is none. All at the time of the turn that was just appended.
INSERT INTO {outbox}_parked AS p (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at,
                                  owner, error_code, last_error, story, parked_at, changed_at)
SELECT sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at, owner, error_code,
       last_error, CASE WHEN note IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(note) END, turn.at, turn.at
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::boolean[], $8::bigint[], $9::bigint[],
            $10::timestamptz[], $11::text[], $12::text[], $13::text[], $14::json[])
  AS change (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at, owner, error_code,
             last_error, note),
  (SELECT at FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1) AS turn
ON CONFLICT (sequence, destination) DO UPDATE SET
  state = excluded.state, blocks = excluded.blocks, attempts = excluded.attempts, due_at = excluded.due_at,
  owner = excluded.owner, deaths = excluded.deaths,
  error_code = CASE WHEN excluded.error_code = '' THEN p.error_code ELSE excluded.error_code END,
  last_error = CASE WHEN excluded.error_code = '' THEN p.last_error ELSE excluded.last_error END,
  changed_at = excluded.changed_at,
  story = CASE WHEN jsonb_array_length(p.story) < 32 OR excluded.story = '[]' THEN p.story ELSE p.story - 1 END
          || excluded.story
