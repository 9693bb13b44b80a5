-- name: append_journals
INSERT INTO {outbox}_journal (execution, revision, records)
SELECT execution, revision, records FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS j (execution, revision, records)

-- name: append_ends
-- At the time of the turn that was just appended, of lane $14.
INSERT INTO {outbox}_end (execution, tenant_id, id, definition, version, state, step, code, error, started_at, ended_at, revision,
                          output, open)
SELECT execution, tenant_id, id, definition, version, state, step, code, error, started_at,
       (SELECT at FROM {outbox}_turn WHERE lane = $14 ORDER BY turn DESC LIMIT 1), revision, output, open
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::timestamptz[], $11::bigint[], $12::text[], $13::text[])
  AS e (execution, tenant_id, id, definition, version, state, step, code, error, started_at, revision, output, open)

-- name: reopen
DELETE FROM {outbox}_end WHERE execution = ANY($1::bigint[])

-- name: put_waiting
INSERT INTO {outbox}_waiting (execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, due_at, key)
SELECT execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, due_at, key
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::text[], $11::timestamptz[], $12::timestamptz[], $13::text[])
  AS w (execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, due_at, key)
ON CONFLICT (execution) DO UPDATE SET
  tenant_id = excluded.tenant_id, id = excluded.id, definition = excluded.definition, version = excluded.version,
  state = excluded.state, waits_for = excluded.waits_for, step = excluded.step, code = excluded.code, error = excluded.error,
  started_at = excluded.started_at, due_at = excluded.due_at, key = excluded.key

-- name: remove_waiting
DELETE FROM {outbox}_waiting WHERE execution = ANY($1::bigint[])

-- name: take_saga_keys
INSERT INTO {outbox}_key (tenant_id, key, execution, id)
SELECT tenant_id, key, execution, id FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS t (tenant_id, key, execution, id)
ON CONFLICT (tenant_id, key) DO UPDATE SET execution = excluded.execution, id = excluded.id

-- name: pass_saga_keys
-- Those that are still held by these executions go to the lowest one that waits, which is due with the turn that was just appended, of
-- lane $4; otherwise nobody holds them.
WITH next AS (
  SELECT k.tenant_id, k.key, n.execution, n.id
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS t (tenant_id, key, execution)
  JOIN {outbox}_key AS k ON k.tenant_id = t.tenant_id AND k.key = t.key AND k.execution = t.execution
  LEFT JOIN LATERAL (SELECT w.execution, w.id FROM {outbox}_waiting AS w
                     WHERE w.tenant_id = k.tenant_id AND w.key = k.key AND w.key <> '' ORDER BY w.execution LIMIT 1) AS n ON true
), called AS (
  UPDATE {outbox}_waiting AS w SET due_at = (SELECT at FROM {outbox}_turn WHERE lane = $4 ORDER BY turn DESC LIMIT 1)
  FROM next WHERE w.execution = next.execution
), dropped AS (
  DELETE FROM {outbox}_key AS k USING next WHERE k.tenant_id = next.tenant_id AND k.key = next.key AND next.execution IS NULL
)
UPDATE {outbox}_key AS k SET execution = next.execution, id = next.id
FROM next WHERE k.tenant_id = next.tenant_id AND k.key = next.key AND next.execution IS NOT NULL

-- name: read_key_holder
SELECT tenant_id, key, execution, id FROM {outbox}_key WHERE tenant_id = $1 AND key = $2

-- name: blocked_saga_keys
-- Of tenant $1 (empty: all), $2 at most.
SELECT w.tenant_id, w.key, k.execution, k.id, coalesce(h.state, e.state, 'running'), w.waiting, f.id, f.started_at
FROM (SELECT tenant_id, key, count(*) AS waiting, min(execution) AS first FROM {outbox}_waiting
      WHERE key <> '' AND ($1 = '' OR tenant_id = $1) GROUP BY tenant_id, key ORDER BY tenant_id, key LIMIT $2) AS w
JOIN {outbox}_key AS k ON k.tenant_id = w.tenant_id AND k.key = w.key
JOIN {outbox}_waiting AS f ON f.execution = w.first
LEFT JOIN {outbox}_waiting AS h ON h.execution = k.execution
LEFT JOIN {outbox}_end AS e ON e.execution = k.execution
ORDER BY w.tenant_id, w.key

-- name: failed_sagas
-- Of tenant $1 and definition $2 (empty: all), $3 groups at most, among the newest $4 numbers of the log.
SELECT g.definition, g.step, g.code, g.state, g.count, g.since, g.until, l.tenant_id, l.event_id
FROM (SELECT definition, step, code, state, count(*) AS count, min(started_at) AS since, max(started_at) AS until, max(execution) AS last
      FROM (SELECT execution, definition, step, code, state, started_at FROM {outbox}_end
            WHERE state <> 'completed' AND code <> '' AND ($1 = '' OR tenant_id = $1) AND ($2 = '' OR definition = $2)
              AND execution > (SELECT coalesce(max(sequence), 0) FROM {outbox}) - $4
            UNION ALL
            SELECT execution, definition, step, code, state, started_at FROM {outbox}_waiting
            WHERE code <> '' AND ($1 = '' OR tenant_id = $1) AND ($2 = '' OR definition = $2)
              AND execution > (SELECT coalesce(max(sequence), 0) FROM {outbox}) - $4) AS f
      GROUP BY definition, step, code, state
      ORDER BY count DESC, definition, step, code, state LIMIT $3) AS g
JOIN {outbox} AS l ON l.sequence = g.last
ORDER BY g.count DESC, g.definition, g.step, g.code, g.state

-- name: set_back_waiting
-- As set_back_due, for executions that wait.
UPDATE {outbox}_waiting SET due_at = due_at - $1 * interval '1 microsecond'
WHERE due_at IS NOT NULL AND (waits_for IN ('retry', 'circuit', 'participant') OR due_at <= $2)

-- name: reset_sagas
WITH journal AS (DELETE FROM {outbox}_journal), ends AS (DELETE FROM {outbox}_end), keys AS (DELETE FROM {outbox}_key),
     summary AS (DELETE FROM {outbox}_summary), upkeep AS (UPDATE {outbox}_upkeep SET purged_count = 0, purged_before = NULL)
DELETE FROM {outbox}_waiting

-- name: find_start
SELECT sequence FROM {outbox} WHERE tenant_id = $1 AND event_id = $2 AND substr(topic, 1, 9) <> 'makegood.'

-- name: read_starts
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at
FROM {outbox} WHERE sequence = ANY($1::bigint[]) AND substr(topic, 1, 9) <> 'makegood.'

-- name: read_journals
SELECT execution, revision, records FROM {outbox}_journal WHERE execution = ANY($1::bigint[]) ORDER BY execution, revision

-- name: read_ends
SELECT execution, tenant_id, id, definition, version, state, ''::text, step, code, error, started_at, ended_at, revision, output, open
FROM {outbox}_end WHERE execution = ANY($1::bigint[])

-- name: read_key_waiters
SELECT execution FROM {outbox}_waiting WHERE execution = ANY($1::bigint[]) AND key <> ''

-- name: read_parked_saga
SELECT execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, NULL::timestamptz, due_at, key
FROM {outbox}_waiting WHERE execution = $1

-- name: unfinished_starts
-- One step down an index for each row of the range, whatever the planner believes of the tables.
SELECT l.sequence FROM {outbox} AS l
WHERE l.sequence BETWEEN $1 AND $2 AND substr(l.topic, 1, 9) <> 'makegood.'
  AND (SELECT e.execution FROM {outbox}_end AS e WHERE e.execution = l.sequence) IS NULL
  AND (SELECT w.execution FROM {outbox}_waiting AS w WHERE w.execution = l.sequence) IS NULL
ORDER BY l.sequence LIMIT $3

-- name: due_executions
SELECT execution FROM {outbox}_waiting WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at, execution LIMIT $2

-- name: next_due_execution
SELECT min(due_at) FROM {outbox}_waiting WHERE due_at IS NOT NULL

-- name: read_definition
-- The newest when $2 is 0.
SELECT name, version, document, source, created_at FROM {outbox}_definition
WHERE name = $1 AND ($2 = 0 OR version = $2) ORDER BY version DESC LIMIT 1

-- name: read_versions
SELECT name, version, document, source, created_at FROM {outbox}_definition WHERE name = $1 ORDER BY version

-- name: newest_definitions
SELECT DISTINCT ON (name) name, version, document, source, created_at FROM {outbox}_definition ORDER BY name, version DESC

-- name: lock_definition
-- Whoever puts a definition of this name waits here until the other's transaction has ended, and sees what it did.
SELECT pg_advisory_xact_lock(hashtextextended('makegood definition' || chr(31) || $1, hashtext({text})))::text

-- name: append_definition
INSERT INTO {outbox}_definition (name, version, document, source, created_at)
VALUES ($1, $2, $3, $4, coalesce($5, clock_timestamp()))

-- name: read_callback_key
SELECT callback_key FROM {outbox}_secret

-- name: saga_list_settings
-- For this transaction only. These lists are made for their indexes; a plan that reads a whole table, or all of a tenant, would be as
-- slow as there are executions. After a bulk load the planner knows no better.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)

-- name: list_sagas
-- Downwards from below $1 to $2, $3 at most, of this tenant ($4), this definition ($5), with ids that begin so ($6), in these states
-- ($7), begun from $8 and before $9: empty texts, no states and NULL mean all. Each row of the log is one step down two indexes.
SELECT l.sequence, l.tenant_id, l.event_id, l.topic, coalesce(e.version, w.version, 0), shown.state, coalesce(w.waits_for, ''),
       coalesce(e.step, w.step, ''), coalesce(e.code, w.code, ''), coalesce(e.error, w.error, ''), shown.started_at, e.ended_at
FROM (SELECT sequence, tenant_id, event_id, topic, created_at FROM {outbox} WHERE sequence < $1 AND sequence >= $2
      ORDER BY sequence DESC OFFSET 0) AS l
CROSS JOIN (SELECT coalesce((SELECT reached FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0) AS reached OFFSET 0) AS last
LEFT JOIN LATERAL (SELECT * FROM {outbox}_end WHERE execution = l.sequence LIMIT 1) AS e ON true
LEFT JOIN LATERAL (SELECT * FROM {outbox}_waiting WHERE execution = l.sequence LIMIT 1) AS w ON true
CROSS JOIN LATERAL (
  SELECT coalesce(e.state, w.state, CASE WHEN l.sequence > last.reached THEN 'pending' ELSE 'running' END) AS state,
         coalesce(e.started_at, w.started_at, l.created_at) AS started_at) AS shown
WHERE substr(l.topic, 1, 9) <> 'makegood.'
  AND ($4 = '' OR l.tenant_id = $4) AND ($5 = '' OR l.topic = $5) AND ($6 = '' OR starts_with(l.event_id, $6))
  AND (cardinality($7::text[]) = 0 OR shown.state = ANY($7::text[]))
  AND ($8::timestamptz IS NULL OR shown.started_at >= $8) AND ($9::timestamptz IS NULL OR shown.started_at < $9)
ORDER BY l.sequence DESC LIMIT $3

-- name: newest_below
-- The highest number of the log below $1; NULL when there is none.
SELECT max(sequence) FROM {outbox} WHERE sequence < $1

-- name: list_ended
-- As list_sagas, of what has ended in the one state $7 other than well; $2 are looked at.
SELECT execution, tenant_id, id, definition, version, state, ''::text, step, code, error, started_at, ended_at
FROM (SELECT * FROM {outbox}_end WHERE state = $7 AND state <> 'completed' AND execution < $1
      ORDER BY execution DESC LIMIT $2) AS looked
WHERE ($4 = '' OR tenant_id = $4) AND ($5 = '' OR definition = $5) AND ($6 = '' OR starts_with(id, $6))
  AND ($8::timestamptz IS NULL OR started_at >= $8) AND ($9::timestamptz IS NULL OR started_at < $9)
ORDER BY execution DESC LIMIT $3

-- name: looked_ended
-- The last that list_ended has looked at; no row when there was less.
SELECT execution FROM {outbox}_end WHERE state = $3 AND state <> 'completed' AND execution < $1
ORDER BY execution DESC LIMIT 1 OFFSET $2 - 1

-- name: list_waiting
-- As list_sagas, of what is parked; $2 are looked at.
SELECT execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, NULL::timestamptz
FROM (SELECT * FROM {outbox}_waiting WHERE execution < $1 ORDER BY execution DESC LIMIT $2) AS looked
WHERE ($4 = '' OR tenant_id = $4) AND ($5 = '' OR definition = $5) AND ($6 = '' OR starts_with(id, $6))
  AND state = ANY($7::text[])
  AND ($8::timestamptz IS NULL OR started_at >= $8) AND ($9::timestamptz IS NULL OR started_at < $9)
ORDER BY execution DESC LIMIT $3

-- name: looked_waiting
SELECT execution FROM {outbox}_waiting WHERE execution < $1 ORDER BY execution DESC LIMIT 1 OFFSET $2 - 1

-- name: count_sagas
-- What has ended other than well, what is parked, and of the rows that the last turn had not settled, $1 at most, what is neither;
-- and how many of each wait for a participant that nobody has.
SELECT definition, state, count(*), 0 FROM {outbox}_end WHERE state <> 'completed' GROUP BY definition, state
UNION ALL
SELECT definition, state, count(*), count(*) FILTER (WHERE waits_for = 'participant') FROM {outbox}_waiting GROUP BY definition, state
UNION ALL
SELECT topic, CASE WHEN sequence > last.reached THEN 'pending' ELSE 'running' END AS state, count(*), 0
FROM (SELECT coalesce(max(settled), 0) AS settled, coalesce(max(reached), 0) AS reached
      FROM (SELECT settled, reached FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1) AS turn) AS last
CROSS JOIN LATERAL (SELECT sequence, topic FROM {outbox} WHERE sequence > last.settled ORDER BY sequence LIMIT $1) AS l
WHERE substr(topic, 1, 9) <> 'makegood.'
  AND (SELECT e.execution FROM {outbox}_end AS e WHERE e.execution = l.sequence) IS NULL
  AND (SELECT w.execution FROM {outbox}_waiting AS w WHERE w.execution = l.sequence) IS NULL
GROUP BY 1, 2

-- name: read_upkeep
SELECT folded_to, purged_count, purged_before FROM {outbox}_upkeep

-- name: newest_to_fold
-- The last of the next $3 numbers above $1, up to $2; NULL when there is none. And how many these are.
SELECT max(sequence), count(*) FROM (
  SELECT sequence FROM {outbox} WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $3) AS next

-- name: ends_to_fold
-- Above $1, up to $2, $3 at most: what a summary counts.
SELECT execution, tenant_id, ''::text, definition, version, state, ''::text, ''::text, ''::text, ''::text, started_at, ended_at
FROM {outbox}_end WHERE execution > $1 AND execution <= $2 ORDER BY execution LIMIT $3

-- name: add_to_summary
INSERT INTO {outbox}_summary AS s (hour, tenant_id, definition, version, state, took, count) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (hour, tenant_id, definition, version, state, took) DO UPDATE SET count = s.count + excluded.count

-- name: set_folded
UPDATE {outbox}_upkeep SET folded_to = $1

-- name: purgeable
-- Above $1, up to $2, the next $3 rows of the log, and how what they have started has ended.
SELECT l.sequence, l.topic, l.created_at, (SELECT e.ended_at FROM {outbox}_end AS e WHERE e.execution = l.sequence),
       coalesce((SELECT e.state FROM {outbox}_end AS e WHERE e.execution = l.sequence), '')
FROM (SELECT sequence, topic, created_at FROM {outbox} WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $3) AS l
ORDER BY l.sequence

-- name: purge_journals
DELETE FROM {outbox}_journal WHERE execution = ANY($1::bigint[])

-- name: purge_ends
DELETE FROM {outbox}_end WHERE execution = ANY($1::bigint[])

-- name: purge_log
DELETE FROM {outbox} WHERE sequence = ANY($1::bigint[])

-- name: note_purged
UPDATE {outbox}_upkeep SET purged_count = purged_count + $1, purged_before = greatest(purged_before, $2)

-- name: purge_turns
-- Of the lowest $2 those that are older than $1, never the last.
DELETE FROM {outbox}_turn
WHERE lane = 0 AND turn < (SELECT max(turn) FROM {outbox}_turn WHERE lane = 0) AND turn IN (
  SELECT turn FROM (SELECT turn, at FROM {outbox}_turn WHERE lane = 0 ORDER BY turn LIMIT $2) AS lowest WHERE at < $1)

-- name: read_summary_classes
-- Of the hours from $1 to before $2, of tenant $3 and definition $4 (empty: all).
SELECT tenant_id, definition, version, state, took, sum(count)::bigint FROM {outbox}_summary
WHERE hour >= $1 AND hour < $2 AND ($3 = '' OR tenant_id = $3) AND ($4 = '' OR definition = $4)
GROUP BY tenant_id, definition, version, state, took

-- name: count_unfinished
-- What is parked; and of the rows that the last turn had not settled, $3 at most, what has neither ended nor is parked. Of tenant $1
-- and definition $2 (empty: all).
SELECT tenant_id, definition, version, count(*) FROM {outbox}_waiting
WHERE ($1 = '' OR tenant_id = $1) AND ($2 = '' OR definition = $2) GROUP BY tenant_id, definition, version
UNION ALL
SELECT tenant_id, topic, 0, count(*)
FROM (SELECT coalesce(max(settled), 0) AS settled
      FROM (SELECT settled FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1) AS turn) AS last
CROSS JOIN LATERAL (SELECT sequence, tenant_id, topic FROM {outbox} WHERE sequence > last.settled ORDER BY sequence LIMIT $3) AS l
WHERE substr(topic, 1, 9) <> 'makegood.' AND ($1 = '' OR tenant_id = $1) AND ($2 = '' OR topic = $2)
  AND (SELECT e.execution FROM {outbox}_end AS e WHERE e.execution = l.sequence) IS NULL
  AND (SELECT w.execution FROM {outbox}_waiting AS w WHERE w.execution = l.sequence) IS NULL
GROUP BY tenant_id, topic

-- name: saga_migration_number
SELECT coalesce(max(number), 0) FROM {schema}makegood_migration WHERE outbox = {text} || '_journal'
