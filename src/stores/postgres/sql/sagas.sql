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
INSERT INTO {outbox}_waiting (execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, due_at)
SELECT execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, due_at
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::text[], $11::timestamptz[], $12::timestamptz[])
  AS w (execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, due_at)
ON CONFLICT (execution) DO UPDATE SET
  tenant_id = excluded.tenant_id, id = excluded.id, definition = excluded.definition, version = excluded.version,
  state = excluded.state, waits_for = excluded.waits_for, step = excluded.step, code = excluded.code, error = excluded.error,
  started_at = excluded.started_at, due_at = excluded.due_at

-- name: remove_waiting
DELETE FROM {outbox}_waiting WHERE execution = ANY($1::bigint[])

-- name: set_back_waiting
-- As set_back_due, for executions that wait.
UPDATE {outbox}_waiting SET due_at = due_at - $1 * interval '1 microsecond'
WHERE due_at IS NOT NULL AND (waits_for IN ('retry', 'circuit') OR due_at <= $2)

-- name: reset_sagas
WITH journal AS (DELETE FROM {outbox}_journal), ends AS (DELETE FROM {outbox}_end)
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

-- name: read_parked_saga
SELECT execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, NULL::timestamptz, due_at
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
-- What has ended other than well, what is parked, and of the rows that the last turn had not settled, $1 at most, what is neither.
SELECT definition, state, count(*) FROM {outbox}_end WHERE state <> 'completed' GROUP BY definition, state
UNION ALL
SELECT definition, state, count(*) FROM {outbox}_waiting GROUP BY definition, state
UNION ALL
SELECT topic, CASE WHEN sequence > last.reached THEN 'pending' ELSE 'running' END AS state, count(*)
FROM (SELECT coalesce(max(settled), 0) AS settled, coalesce(max(reached), 0) AS reached
      FROM (SELECT settled, reached FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1) AS turn) AS last
CROSS JOIN LATERAL (SELECT sequence, topic FROM {outbox} WHERE sequence > last.settled ORDER BY sequence LIMIT $1) AS l
WHERE substr(topic, 1, 9) <> 'makegood.'
  AND (SELECT e.execution FROM {outbox}_end AS e WHERE e.execution = l.sequence) IS NULL
  AND (SELECT w.execution FROM {outbox}_waiting AS w WHERE w.execution = l.sequence) IS NULL
GROUP BY 1, 2

-- name: saga_migration_number
SELECT coalesce(max(number), 0) FROM {schema}makegood_migration WHERE outbox = {text} || '_journal'
