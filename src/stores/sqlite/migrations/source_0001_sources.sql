-- name: source_migration_0001_sources
-- What is read from brokers into "{outbox}", and up to where. One row per partition, which changes with each batch: broker and log
-- go on together or not at all.
CREATE TABLE "{outbox}_source" (
  name       TEXT    PRIMARY KEY,
  document   TEXT    NOT NULL,
  is_paused  INTEGER NOT NULL DEFAULT 0,
  version    INTEGER NOT NULL DEFAULT 1,
  code       TEXT    NOT NULL DEFAULT '',
  trouble    TEXT    NOT NULL DEFAULT '',
  trouble_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE "{outbox}_source_place" (
  source     TEXT    NOT NULL,
  partition  TEXT    NOT NULL,
  next       TEXT    NOT NULL,
  taken      INTEGER NOT NULL,
  behind     INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (source, partition)
) STRICT, WITHOUT ROWID;

-- name: source_migration_0001_sources_down
DROP TABLE IF EXISTS "{outbox}_source_place";
DROP TABLE IF EXISTS "{outbox}_source";
DELETE FROM makegood_migration WHERE outbox = '{outbox}_source' AND number = 1;
