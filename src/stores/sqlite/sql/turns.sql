-- name: newest_turn
SELECT turn, owner, at, lease_until, position, anchor, anchor_event, counter, cleaned, stopped, locked
FROM "{outbox}_turn" WHERE lane = ?1 ORDER BY turn DESC LIMIT 1

-- name: take_turn
-- The mark is the one that the turn before has left.
INSERT INTO "{outbox}_turn" (lane, turn, owner, at, lease_until, locked, reached, settled, position, is_taking,
                             anchor, anchor_event, counter, cleaned, stopped)
VALUES (?14, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?9, ?10, ?11, ?12, ?13)

-- name: append_turn
-- Right after the remembered turn, or not at all. Time does not run backwards, unless the last turn was far ahead of it.
INSERT INTO "{outbox}_turn" (lane, turn, owner, at, lease_until, locked, reached, settled, position,
                             anchor, anchor_event, counter, cleaned, stopped)
SELECT ?14, turn + 1, owner, clock, clock + ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
FROM (SELECT turn, owner, CASE WHEN at BETWEEN ?3 AND ?3 + 60000 THEN at ELSE ?3 END AS clock
      FROM "{outbox}_turn" WHERE lane = ?14 ORDER BY turn DESC LIMIT 1)
WHERE turn = ?1 AND owner = ?2
RETURNING turn, at

-- name: mark_turn
-- What the cleaner has made of the mark, in the turn that it is part of.
UPDATE "{outbox}_turn" SET anchor = ?2, anchor_event = ?3, cleaned = ?4 WHERE lane = ?5 AND turn = ?1

-- name: thin_turn
UPDATE "{outbox}_turn" SET position = '' WHERE lane = ?2 AND turn = ?1

-- name: fruitless_takings
-- Takings since somebody last said more than that.
SELECT count(*) FROM "{outbox}_turn"
WHERE lane = ?1 AND turn > coalesce(
  (SELECT turn FROM "{outbox}_turn" WHERE lane = ?1 AND is_taking = 0 ORDER BY turn DESC LIMIT 1), 0)

-- name: turn_from
SELECT turn, owner, at, position FROM "{outbox}_turn"
WHERE lane = ?2 AND turn >= ?1 AND position <> '' ORDER BY turn LIMIT 1

-- name: turns_range
SELECT (SELECT min(turn) FROM "{outbox}_turn" WHERE lane = ?1), (SELECT max(turn) FROM "{outbox}_turn" WHERE lane = ?1)

-- name: published_at
-- Of each of these numbers (a JSON array), in their order: the first turn that had settled it; where something before it has not
-- ended yet, the last turn.
SELECT coalesce(
  (SELECT at FROM "{outbox}_turn" WHERE lane = ?2 AND settled >= wanted.value ORDER BY settled, turn LIMIT 1),
  (SELECT at FROM "{outbox}_turn" WHERE lane = ?2 ORDER BY turn DESC LIMIT 1))
FROM json_each(?1) AS wanted ORDER BY wanted.key

-- name: reset
-- The turn that was just written says that nothing here is still to be delivered; it stays.
DELETE FROM "{outbox}_parked";
DELETE FROM "{outbox}_kept";
DELETE FROM "{outbox}_request";
DELETE FROM "{outbox}";
DELETE FROM "{outbox}_turn" WHERE turn < (SELECT max(turn) FROM "{outbox}_turn");
