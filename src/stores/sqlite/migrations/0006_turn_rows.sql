-- name: migration_0006_turn_rows
-- A turn with much under way is longer than a page. Where rows live in the index of their key, SQLite reads a long row
-- whole to compare its key, for each step of each search: of 1,500 deliveries under way, half of a turn's time.
-- Of the long ones those are kept that would be from now on: the last, and one of 32.
CREATE TABLE "{outbox}_turn_before" AS
SELECT lane, turn, owner, at, lease_until, locked, reached, settled, is_taking,
       CASE WHEN length(position) > 2000 AND turn % 32 <> 0
                 AND turn < (SELECT max(turn) FROM "{outbox}_turn" WHERE lane = 0)
            THEN '' ELSE position END AS position
FROM "{outbox}_turn";
DROP TABLE "{outbox}_turn";
CREATE TABLE "{outbox}_turn" (
  lane        INTEGER NOT NULL,
  turn        INTEGER NOT NULL,
  owner       TEXT    NOT NULL,
  at          INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  locked      INTEGER NOT NULL,
  reached     INTEGER NOT NULL,
  settled     INTEGER NOT NULL,
  is_taking   INTEGER NOT NULL DEFAULT 0,
  position    TEXT    NOT NULL,
  PRIMARY KEY (lane, turn)
) STRICT;
CREATE INDEX "{outbox}_turn_settled" ON "{outbox}_turn" (lane, settled, turn);
INSERT INTO "{outbox}_turn" (lane, turn, owner, at, lease_until, locked, reached, settled, is_taking, position)
SELECT lane, turn, owner, at, lease_until, locked, reached, settled, is_taking, position
FROM "{outbox}_turn_before" ORDER BY turn;
DROP TABLE "{outbox}_turn_before";

-- name: migration_0006_turn_rows_down
-- The turns stay as they are: they hold all that those before held.
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 6;
