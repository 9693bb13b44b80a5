-- name: read_counter
-- The last number that was drawn; NULL: none was. A counter of SQLite has no form to be altered. The highest number of the log.
SELECT (SELECT seq FROM sqlite_sequence WHERE name = '{outbox}' COLLATE NOCASE), 0, (SELECT max(sequence) FROM "{outbox}")

-- name: first_pending
SELECT created_at FROM "{outbox}" WHERE sequence > ?1 ORDER BY sequence LIMIT 1

-- name: count_waiting
SELECT destination, count(*), count(owner), min(sequence) FROM "{outbox}_parked" WHERE state = 'waiting'
GROUP BY destination

-- name: count_held
SELECT destination, count(*), min(sequence) FROM "{outbox}_parked" WHERE state = 'held' GROUP BY destination

-- name: count_dead
SELECT destination, state, count(*) FROM "{outbox}_parked" WHERE state IN ('dead', 'quarantined')
GROUP BY destination, state
