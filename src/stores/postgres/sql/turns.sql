-- name: last_turn
-- The columns of a turn, NULLs where there is none, and the time.
SELECT last.turn, last.owner, last.at, last.lease_until, last.position, last.anchor, last.anchor_event, last.counter, last.cleaned,
       last.stopped, coalesce($1, clock_timestamp())
FROM (VALUES (1)) AS one
LEFT JOIN (SELECT turn, owner, at, lease_until, position, anchor, anchor_event, counter, cleaned, stopped
           FROM {outbox}_turn WHERE lane = $2 ORDER BY turn DESC LIMIT 1) AS last
  ON true

-- name: newest_turn
SELECT turn, owner, at, lease_until, position, anchor, anchor_event, counter, cleaned, stopped
FROM {outbox}_turn WHERE lane = $1 ORDER BY turn DESC LIMIT 1

-- name: take_turn
-- Nothing when somebody else was faster.
INSERT INTO {outbox}_turn (lane, turn, owner, at, lease_until, reached, settled, position, is_taking, anchor, anchor_event,
                           counter, cleaned, stopped)
VALUES ($13, $1, $2, $3, $3 + $4 * interval '1 microsecond', $5, $6, $7, true, $8, $9, $10, $11, $12)
ON CONFLICT (lane, turn) DO NOTHING RETURNING turn

-- name: append_turn
-- Right after the remembered turn ($1) of the same owner ($2), or not at all: without it the number would be NULL, which is
-- refused, and so is a number that somebody else has taken. Time does not run backwards, unless the last turn was far ahead of it.
INSERT INTO {outbox}_turn (lane, turn, owner, at, lease_until, reached, settled, position, anchor, anchor_event, counter,
                           cleaned, stopped)
SELECT $13, last.turn + 1, $2, clock.at, clock.at + $4 * interval '1 microsecond', $5, $6, $7, $8, $9, $10, $11, $12
FROM (SELECT coalesce($3, clock_timestamp()) AS here) AS server
LEFT JOIN (SELECT turn, owner, at FROM {outbox}_turn WHERE lane = $13 ORDER BY turn DESC LIMIT 1) AS last
  ON last.turn = $1 AND last.owner = $2,
LATERAL (SELECT CASE WHEN last.at BETWEEN here AND here + interval '1 minute' THEN last.at ELSE here END AS at) AS clock
RETURNING turn, at

-- name: mark_turn
-- What the cleaner has made of the mark, in the turn that it is part of.
UPDATE {outbox}_turn SET anchor = $2, anchor_event = $3, cleaned = $4 WHERE lane = $5 AND turn = $1

-- name: fruitless_takings
-- Takings since somebody last said more than that.
SELECT count(*) FROM {outbox}_turn
WHERE lane = $1 AND turn > coalesce(
  (SELECT turn FROM {outbox}_turn WHERE lane = $1 AND NOT is_taking ORDER BY turn DESC LIMIT 1), 0)

-- name: turn_from
SELECT turn, owner, at, position FROM {outbox}_turn WHERE lane = $2 AND turn >= $1 ORDER BY turn LIMIT 1

-- name: turns_range
SELECT min(turn), max(turn) FROM {outbox}_turn WHERE lane = $1

-- name: published_at
-- The first turn that had settled it; where something before it has not ended yet, the last turn.
SELECT coalesce(
  (SELECT at FROM {outbox}_turn WHERE lane = $2 AND settled >= wanted.sequence ORDER BY settled, turn LIMIT 1),
  (SELECT at FROM {outbox}_turn WHERE lane = $2 ORDER BY turn DESC LIMIT 1))
FROM unnest($1) WITH ORDINALITY AS wanted (sequence, place) ORDER BY wanted.place

-- name: turn_lockers
-- Who holds up a taker: a transaction that has written a turn and does not end.
SELECT a.pid, coalesce(a.application_name, ''), coalesce(a.client_addr::text, 'local'), coalesce(a.state, 'unknown')
FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.relation = $1::regclass AND l.pid <> pg_backend_pid()
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())

-- name: reset
-- The turn that was just written says that nothing here is still to be delivered; it stays.
WITH parked AS (DELETE FROM {outbox}_parked), kept AS (DELETE FROM {outbox}_kept), request AS (DELETE FROM {outbox}_request),
     turn AS (DELETE FROM {outbox}_turn WHERE turn < (SELECT max(turn) FROM {outbox}_turn))
DELETE FROM {outbox}

-- name: lock_log
-- A number that an open transaction has drawn would lie below the position and never be read.
LOCK TABLE {outbox} IN SHARE ROW EXCLUSIVE MODE
