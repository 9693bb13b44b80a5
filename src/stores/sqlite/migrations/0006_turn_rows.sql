-- A turn with much under way is longer than a page. Where rows live in the index of their key, SQLite reads a long row
-- whole to compare its key, for each step of each search: of 1,500 deliveries under way, half of a turn's time.
CREATE TABLE "{outbox}_turn_before" AS SELECT * FROM "{outbox}_turn";
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
  position    TEXT    NOT NULL,
  is_taking   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (lane, turn)
) STRICT;
CREATE INDEX "{outbox}_turn_settled" ON "{outbox}_turn" (lane, settled, turn);
INSERT INTO "{outbox}_turn" (lane, turn, owner, at, lease_until, locked, reached, settled, position, is_taking)
SELECT lane, turn, owner, at, lease_until, locked, reached, settled, position, is_taking
FROM "{outbox}_turn_before" ORDER BY turn;
DROP TABLE "{outbox}_turn_before";
