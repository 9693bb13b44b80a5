-- name: saga_migration_0001_sagas
-- What is kept beside a log of requests for sagas. An execution is named by the number of its start in "{outbox}".
--
-- The journal: one row per execution and turn, never changed. Rows live apart from the index of their key: those of one turn, which
-- are of many executions, then share a few pages.
CREATE TABLE "{outbox}_journal" (
  execution INTEGER NOT NULL,
  revision  INTEGER NOT NULL,
  records   BLOB    NOT NULL,
  PRIMARY KEY (execution, revision)
) STRICT;

-- What has ended, and how. An execution that goes well pays for no index but this key.
CREATE TABLE "{outbox}_end" (
  execution  INTEGER PRIMARY KEY,
  tenant_id  TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  definition TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('completed', 'compensated', 'failed', 'cancelled')),
  step       TEXT    NOT NULL,
  code       TEXT    NOT NULL,
  error      TEXT    NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  output     TEXT    NOT NULL,
  open       TEXT    NOT NULL
) STRICT;
CREATE INDEX "{outbox}_end_state" ON "{outbox}_end" (state, execution, definition) WHERE state <> 'completed';

-- What waits for longer than a moment, and is not in memory. Without a due time only a request goes on with it.
CREATE TABLE "{outbox}_waiting" (
  execution  INTEGER PRIMARY KEY,
  tenant_id  TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  definition TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('pending', 'running', 'waiting', 'paused', 'manual', 'compensating')),
  waits_for  TEXT    NOT NULL,
  step       TEXT    NOT NULL,
  code       TEXT    NOT NULL,
  error      TEXT    NOT NULL,
  started_at INTEGER NOT NULL,
  due_at     INTEGER
) STRICT;
CREATE INDEX "{outbox}_waiting_due" ON "{outbox}_waiting" (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE "{outbox}_definition" (
  name       TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  document   TEXT    NOT NULL,
  source     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (name, version)
) STRICT;

-- What signs the addresses that participants call back: one row, drawn here, the same for everybody who works on this log.
CREATE TABLE "{outbox}_secret" (callback_key TEXT NOT NULL) STRICT;
INSERT INTO "{outbox}_secret" (callback_key) VALUES (lower(hex(randomblob(32))));

-- A start that is read and waits counts as settled for the log; it is still needed.
CREATE TRIGGER "{outbox}_waits" BEFORE DELETE ON "{outbox}"
WHEN EXISTS (SELECT 1 FROM "{outbox}_waiting" WHERE execution = OLD.sequence)
BEGIN
  SELECT RAISE(ABORT, 'A start in {outbox} whose execution waits cannot be deleted; cancel the execution.');
END;

-- name: saga_migration_0001_sagas_down
DROP TRIGGER IF EXISTS "{outbox}_waits";
DROP TABLE IF EXISTS "{outbox}_secret";
DROP TABLE IF EXISTS "{outbox}_definition";
DROP TABLE IF EXISTS "{outbox}_waiting";
DROP TABLE IF EXISTS "{outbox}_end";
DROP TABLE IF EXISTS "{outbox}_journal";
DELETE FROM makegood_migration WHERE outbox = '{outbox}_journal' AND number = 1;
