-- name: append_journal
INSERT INTO "{outbox}_journal" (execution, revision, records) VALUES (?1, ?2, ?3)

-- name: append_end
INSERT INTO "{outbox}_end" (execution, tenant_id, id, definition, version, state, step, code, error, started_at, ended_at, revision,
                            output, open)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)

-- name: reopen
DELETE FROM "{outbox}_end" WHERE execution = ?1

-- name: put_waiting
INSERT OR REPLACE INTO "{outbox}_waiting" (execution, tenant_id, id, definition, version, state, waits_for, step, code, error,
                                           started_at, due_at, key)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)

-- name: remove_waiting
DELETE FROM "{outbox}_waiting" WHERE execution = ?1

-- name: take_key
INSERT OR REPLACE INTO "{outbox}_key" (tenant_id, key, execution, id) VALUES (?1, ?2, ?3, ?4)

-- name: call_for_key
-- Whoever waits for the key (?2 of tenant ?1) that execution ?3 leaves is due now (?4); then it is his; or nobody's.
UPDATE "{outbox}_waiting" SET due_at = ?4
WHERE execution = (SELECT execution FROM "{outbox}_waiting" WHERE tenant_id = ?1 AND key = ?2 AND key <> '' ORDER BY execution LIMIT 1)
  AND EXISTS (SELECT 1 FROM "{outbox}_key" WHERE tenant_id = ?1 AND key = ?2 AND execution = ?3)

-- name: pass_key
UPDATE "{outbox}_key" AS k SET execution = next.execution, id = next.id
FROM (SELECT execution, id FROM "{outbox}_waiting" WHERE tenant_id = ?1 AND key = ?2 AND key <> '' ORDER BY execution LIMIT 1) AS next
WHERE k.tenant_id = ?1 AND k.key = ?2 AND k.execution = ?3

-- name: drop_key
DELETE FROM "{outbox}_key" WHERE tenant_id = ?1 AND key = ?2 AND execution = ?3

-- name: read_key_holder
SELECT tenant_id, key, execution, id FROM "{outbox}_key" WHERE tenant_id = ?1 AND key = ?2

-- name: blocked_saga_keys
-- Of tenant ?1 (empty: all), ?2 at most.
SELECT w.tenant_id, w.key, k.execution, k.id, coalesce(h.state, e.state, 'running'), w.waiting,
       (SELECT id FROM "{outbox}_waiting" WHERE execution = w.first), (SELECT started_at FROM "{outbox}_waiting" WHERE execution = w.first)
FROM (SELECT tenant_id, key, count(*) AS waiting, min(execution) AS first FROM "{outbox}_waiting"
      WHERE key <> '' AND (?1 = '' OR tenant_id = ?1) GROUP BY tenant_id, key ORDER BY tenant_id, key LIMIT ?2) AS w
JOIN "{outbox}_key" AS k ON k.tenant_id = w.tenant_id AND k.key = w.key
LEFT JOIN "{outbox}_waiting" AS h ON h.execution = k.execution
LEFT JOIN "{outbox}_end" AS e ON e.execution = k.execution
ORDER BY w.tenant_id, w.key

-- name: failed_sagas
-- Of tenant ?1 and definition ?2 (empty: all), ?3 groups at most, among the newest ?4 numbers of the log.
SELECT g.definition, g.step, g.code, g.state, g.count, g.since, g.until, l.tenant_id, l.event_id
FROM (SELECT definition, step, code, state, count(*) AS count, min(started_at) AS since, max(started_at) AS until, max(execution) AS last
      FROM (SELECT execution, definition, step, code, state, started_at FROM "{outbox}_end"
            WHERE state <> 'completed' AND code <> '' AND (?1 = '' OR tenant_id = ?1) AND (?2 = '' OR definition = ?2)
              AND execution > (SELECT coalesce(max(sequence), 0) FROM "{outbox}") - ?4
            UNION ALL
            SELECT execution, definition, step, code, state, started_at FROM "{outbox}_waiting"
            WHERE code <> '' AND (?1 = '' OR tenant_id = ?1) AND (?2 = '' OR definition = ?2)
              AND execution > (SELECT coalesce(max(sequence), 0) FROM "{outbox}") - ?4) AS f
      GROUP BY definition, step, code, state
      ORDER BY count DESC, definition, step, code, state LIMIT ?3) AS g
JOIN "{outbox}" AS l ON l.sequence = g.last
ORDER BY g.count DESC, g.definition, g.step, g.code, g.state

-- name: set_back_waiting
-- As set_back_due, for executions that wait.
UPDATE "{outbox}_waiting" SET due_at = due_at - ?1 WHERE due_at IS NOT NULL AND (waits_for IN ('retry', 'circuit', 'participant') OR due_at <= ?2)

-- name: reset_sagas
DELETE FROM "{outbox}_journal";
DELETE FROM "{outbox}_end";
DELETE FROM "{outbox}_waiting";
DELETE FROM "{outbox}_key";
DELETE FROM "{outbox}_summary";
UPDATE "{outbox}_upkeep" SET purged_count = 0, purged_before = NULL;

-- name: find_start
SELECT sequence FROM "{outbox}" WHERE tenant_id = ?1 AND event_id = ?2 AND substr(topic, 1, 9) <> 'makegood.'

-- name: read_starts
-- Of several executions (a JSON array of numbers).
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at
FROM "{outbox}" WHERE sequence IN (SELECT value FROM json_each(?1)) AND substr(topic, 1, 9) <> 'makegood.'

-- name: read_journals
SELECT execution, revision, records FROM "{outbox}_journal"
WHERE execution IN (SELECT value FROM json_each(?1)) ORDER BY execution, revision

-- name: read_ends
SELECT execution, tenant_id, id, definition, version, state, '', step, code, error, started_at, ended_at, revision, output, open
FROM "{outbox}_end" WHERE execution IN (SELECT value FROM json_each(?1))

-- name: read_key_waiters
SELECT execution FROM "{outbox}_waiting" WHERE execution IN (SELECT value FROM json_each(?1)) AND key <> ''

-- name: read_parked_saga
SELECT execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, NULL, due_at, key
FROM "{outbox}_waiting" WHERE execution = ?1

-- name: unfinished_starts
SELECT l.sequence FROM "{outbox}" AS l
WHERE l.sequence BETWEEN ?1 AND ?2 AND substr(l.topic, 1, 9) <> 'makegood.'
  AND NOT EXISTS (SELECT 1 FROM "{outbox}_end" AS e WHERE e.execution = l.sequence)
  AND NOT EXISTS (SELECT 1 FROM "{outbox}_waiting" AS w WHERE w.execution = l.sequence)
ORDER BY l.sequence LIMIT ?3

-- name: due_executions
SELECT execution FROM "{outbox}_waiting" WHERE due_at IS NOT NULL AND due_at <= ?1 ORDER BY due_at, execution LIMIT ?2

-- name: next_due_execution
SELECT min(due_at) FROM "{outbox}_waiting" WHERE due_at IS NOT NULL

-- name: read_definition
-- The newest when ?2 is 0.
SELECT name, version, document, source, created_at FROM "{outbox}_definition"
WHERE name = ?1 AND (?2 = 0 OR version = ?2) ORDER BY version DESC LIMIT 1

-- name: read_versions
SELECT name, version, document, source, created_at FROM "{outbox}_definition" WHERE name = ?1 ORDER BY version

-- name: newest_definitions
SELECT name, version, document, source, created_at FROM "{outbox}_definition" AS d
WHERE version = (SELECT max(version) FROM "{outbox}_definition" WHERE name = d.name) ORDER BY name

-- name: lock_definition
-- Whoever writes has the whole file.
SELECT ?1

-- name: append_definition
INSERT INTO "{outbox}_definition" (name, version, document, source, created_at) VALUES (?1, ?2, ?3, ?4, ?5)

-- name: read_callback_key
SELECT callback_key FROM "{outbox}_secret"

-- name: saga_list_settings
-- There is nothing to set.
SELECT 1

-- name: list_sagas
-- Downwards from below ?1 to ?2, ?3 at most, of this tenant (?4), this definition (?5), with ids that begin so (?6), in these states
-- (?7, a JSON array), begun from ?8 and before ?9: empty texts, no states and NULL mean all.
SELECT l.sequence, l.tenant_id, l.event_id, l.topic, coalesce(e.version, w.version, 0),
       coalesce(e.state, w.state,
                iif(l.sequence > coalesce((SELECT reached FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0),
                    'pending', 'running')) AS shown,
       coalesce(w.waits_for, ''), coalesce(e.step, w.step, ''), coalesce(e.code, w.code, ''), coalesce(e.error, w.error, ''),
       coalesce(e.started_at, w.started_at, l.created_at) AS started, e.ended_at
FROM "{outbox}" AS l
LEFT JOIN "{outbox}_end" AS e ON e.execution = l.sequence
LEFT JOIN "{outbox}_waiting" AS w ON w.execution = l.sequence
WHERE l.sequence < ?1 AND l.sequence >= ?2 AND substr(l.topic, 1, 9) <> 'makegood.'
  AND (?4 = '' OR l.tenant_id = ?4) AND (?5 = '' OR l.topic = ?5)
  AND (?6 = '' OR substr(l.event_id, 1, length(?6)) = ?6)
  AND (?7 = '[]' OR shown IN (SELECT value FROM json_each(?7)))
  AND (?8 IS NULL OR started >= ?8) AND (?9 IS NULL OR started < ?9)
ORDER BY l.sequence DESC LIMIT ?3

-- name: newest_below
-- The highest number of the log below ?1; NULL when there is none.
SELECT max(sequence) FROM "{outbox}" WHERE sequence < ?1

-- name: list_ended
-- As list_sagas, of what has ended in the one state ?7 other than well; ?2 are looked at.
SELECT execution, tenant_id, id, definition, version, state, '', step, code, error, started_at, ended_at
FROM (SELECT * FROM "{outbox}_end" WHERE state = ?7 AND state <> 'completed' AND execution < ?1
      ORDER BY execution DESC LIMIT ?2)
WHERE (?4 = '' OR tenant_id = ?4) AND (?5 = '' OR definition = ?5) AND (?6 = '' OR substr(id, 1, length(?6)) = ?6)
  AND (?8 IS NULL OR started_at >= ?8) AND (?9 IS NULL OR started_at < ?9)
ORDER BY execution DESC LIMIT ?3

-- name: looked_ended
-- The last that list_ended has looked at; no row when there was less.
SELECT execution FROM "{outbox}_end" WHERE state = ?3 AND state <> 'completed' AND execution < ?1
ORDER BY execution DESC LIMIT 1 OFFSET ?2 - 1

-- name: list_waiting
-- As list_sagas, of what is parked; ?2 are looked at.
SELECT execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, NULL
FROM (SELECT * FROM "{outbox}_waiting" WHERE execution < ?1 ORDER BY execution DESC LIMIT ?2)
WHERE (?4 = '' OR tenant_id = ?4) AND (?5 = '' OR definition = ?5) AND (?6 = '' OR substr(id, 1, length(?6)) = ?6)
  AND state IN (SELECT value FROM json_each(?7))
  AND (?8 IS NULL OR started_at >= ?8) AND (?9 IS NULL OR started_at < ?9)
ORDER BY execution DESC LIMIT ?3

-- name: looked_waiting
SELECT execution FROM "{outbox}_waiting" WHERE execution < ?1 ORDER BY execution DESC LIMIT 1 OFFSET ?2 - 1

-- name: count_sagas
-- What has ended other than well, what is parked, and of the rows that the last turn had not settled, ?1 at most, what is neither;
-- and how many of each wait for a participant that nobody has.
SELECT definition, state, count(*), 0 FROM "{outbox}_end" WHERE state <> 'completed' GROUP BY definition, state
UNION ALL
SELECT definition, state, count(*), count(*) FILTER (WHERE waits_for = 'participant') FROM "{outbox}_waiting" GROUP BY definition, state
UNION ALL
SELECT topic, iif(sequence > coalesce((SELECT reached FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0),
                  'pending', 'running') AS state, count(*), 0
FROM (SELECT sequence, topic FROM "{outbox}"
      WHERE sequence > coalesce((SELECT settled FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0)
      ORDER BY sequence LIMIT ?1) AS l
WHERE substr(topic, 1, 9) <> 'makegood.'
  AND NOT EXISTS (SELECT 1 FROM "{outbox}_end" AS e WHERE e.execution = l.sequence)
  AND NOT EXISTS (SELECT 1 FROM "{outbox}_waiting" AS w WHERE w.execution = l.sequence)
GROUP BY topic, state

-- name: read_upkeep
SELECT folded_to, purged_count, purged_before FROM "{outbox}_upkeep"

-- name: newest_to_fold
-- The last of the next ?3 numbers above ?1, up to ?2; NULL when there is none. And how many these are.
SELECT max(sequence), count(*) FROM (
  SELECT sequence FROM "{outbox}" WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence LIMIT ?3)

-- name: ends_to_fold
-- Above ?1, up to ?2, ?3 at most: what a summary counts.
SELECT execution, tenant_id, '', definition, version, state, '', '', '', '', started_at, ended_at
FROM "{outbox}_end" WHERE execution > ?1 AND execution <= ?2 ORDER BY execution LIMIT ?3

-- name: add_to_summary
INSERT INTO "{outbox}_summary" (hour, tenant_id, definition, version, state, took, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (hour, tenant_id, definition, version, state, took) DO UPDATE SET count = count + excluded.count

-- name: set_folded
UPDATE "{outbox}_upkeep" SET folded_to = ?1

-- name: purgeable
-- Above ?1, up to ?2, the next ?3 rows of the log, and how what they have started has ended.
SELECT l.sequence, l.topic, l.created_at, (SELECT ended_at FROM "{outbox}_end" WHERE execution = l.sequence),
       coalesce((SELECT state FROM "{outbox}_end" WHERE execution = l.sequence), '')
FROM "{outbox}" AS l WHERE l.sequence > ?1 AND l.sequence <= ?2 ORDER BY l.sequence LIMIT ?3

-- name: purge_journals
DELETE FROM "{outbox}_journal" WHERE execution IN (SELECT value FROM json_each(?1))

-- name: purge_ends
DELETE FROM "{outbox}_end" WHERE execution IN (SELECT value FROM json_each(?1))

-- name: purge_log
DELETE FROM "{outbox}" WHERE sequence IN (SELECT value FROM json_each(?1))

-- name: note_purged
UPDATE "{outbox}_upkeep" SET purged_count = purged_count + ?1, purged_before = max(coalesce(purged_before, ?2), ?2)

-- name: purge_turns
-- Of the lowest ?2 those that are older than ?1, never the last.
DELETE FROM "{outbox}_turn"
WHERE lane = 0 AND turn < (SELECT max(turn) FROM "{outbox}_turn" WHERE lane = 0) AND turn IN (
  SELECT turn FROM (SELECT turn, at FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn LIMIT ?2) WHERE at < ?1)

-- name: read_summary_classes
-- Of the hours from ?1 to before ?2, of tenant ?3 and definition ?4 (empty: all).
SELECT tenant_id, definition, version, state, took, sum(count) FROM "{outbox}_summary"
WHERE hour >= ?1 AND hour < ?2 AND (?3 = '' OR tenant_id = ?3) AND (?4 = '' OR definition = ?4)
GROUP BY tenant_id, definition, version, state, took

-- name: count_unfinished
-- What is parked; and of the rows that the last turn had not settled, ?3 at most, what has neither ended nor is parked. Of tenant ?1
-- and definition ?2 (empty: all).
SELECT tenant_id, definition, version, count(*) FROM "{outbox}_waiting"
WHERE (?1 = '' OR tenant_id = ?1) AND (?2 = '' OR definition = ?2) GROUP BY tenant_id, definition, version
UNION ALL
SELECT tenant_id, topic, 0, count(*)
FROM (SELECT sequence, tenant_id, topic FROM "{outbox}"
      WHERE sequence > coalesce((SELECT settled FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0)
      ORDER BY sequence LIMIT ?3) AS l
WHERE substr(topic, 1, 9) <> 'makegood.' AND (?1 = '' OR tenant_id = ?1) AND (?2 = '' OR topic = ?2)
  AND NOT EXISTS (SELECT 1 FROM "{outbox}_end" AS e WHERE e.execution = l.sequence)
  AND NOT EXISTS (SELECT 1 FROM "{outbox}_waiting" AS w WHERE w.execution = l.sequence)
GROUP BY tenant_id, topic

-- name: saga_migration_number
SELECT coalesce(max(number), 0) FROM makegood_migration WHERE outbox = '{outbox}_journal'
