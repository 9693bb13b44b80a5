-- name: migration_0000_store
-- What all outboxes of one file share: which migrations ran, and which file this is.
CREATE TABLE IF NOT EXISTS makegood_migration (
  outbox     TEXT    NOT NULL COLLATE NOCASE,
  number     INTEGER NOT NULL,
  name       TEXT    NOT NULL,
  applied_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
  PRIMARY KEY (outbox, number)
) STRICT, WITHOUT ROWID;

-- inode is NULL until the first process has seen the file; from then on another inode means: this is a copy.
CREATE TABLE IF NOT EXISTS makegood_store (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  incarnation TEXT    NOT NULL,
  inode       INTEGER
) STRICT;

INSERT OR IGNORE INTO makegood_store (id, incarnation) VALUES (1, lower(hex(randomblob(16))));
