-- name: migration_0001_outbox
-- The log. Rows are never changed; the cleaner removes them when they have been delivered long enough.
-- All times are milliseconds since 1970, UTC.
CREATE TABLE "{outbox}" (
  sequence     INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id     TEXT    NOT NULL DEFAULT (lower(
                 hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
                 substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))),
  tenant_id    TEXT    NOT NULL DEFAULT 'default',
  topic        TEXT    NOT NULL,
  dispatch_key TEXT,
  priority     INTEGER NOT NULL DEFAULT 0,
  payload      TEXT,
  body         BLOB,
  content_type TEXT,
  headers      TEXT,
  envelope_id  TEXT,
  traceparent  TEXT,
  tracestate   TEXT,
  created_at   INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
  available_at INTEGER,
  expires_at   INTEGER,
  UNIQUE (tenant_id, event_id),
  CONSTRAINT sequence_is_positive CHECK (sequence > 0),
  CONSTRAINT topic_has_1_to_255_characters CHECK (length(topic) BETWEEN 1 AND 255),
  CONSTRAINT exactly_one_of_payload_and_body CHECK ((payload IS NULL) <> (body IS NULL))
) STRICT;

-- One number that is not the next would hide or block all later rows. A number that SQLite is about to draw itself shows
-- here as -1, and is always the next. (After the insert it would be too late to tell: numbers that OR IGNORE used up are
-- in the counter only at the end of the statement.)
CREATE TRIGGER "{outbox}_next" BEFORE INSERT ON "{outbox}"
WHEN NEW.sequence <> -1
 AND NEW.sequence <> 1 + max(
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{outbox}' COLLATE NOCASE), 0),
       coalesce((SELECT max(sequence) FROM "{outbox}"), 0))
BEGIN
  SELECT RAISE(ABORT, 'The sequence of {outbox} is drawn by the database; leave the column out.');
END;

CREATE TRIGGER "{outbox}_immutable" BEFORE UPDATE ON "{outbox}"
BEGIN
  SELECT RAISE(ABORT, 'Rows of {outbox} are immutable; enqueue another message instead.');
END;

-- What the lane's owners have said, one row per exchange; the last row holds the truth. locked tells whether the owner held
-- the operating system's lock as it wrote: only then does a free lock prove that it is gone.
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
  PRIMARY KEY (lane, turn)
) STRICT, WITHOUT ROWID;
-- When a message was delivered: at the first turn that had settled it.
CREATE INDEX "{outbox}_turn_settled" ON "{outbox}_turn" (lane, settled);

-- Deliveries that are exceptions.
CREATE TABLE "{outbox}_parked" (
  sequence     INTEGER NOT NULL,
  destination  TEXT    NOT NULL,
  tenant_id    TEXT    NOT NULL,
  dispatch_key TEXT    NOT NULL,
  slot         INTEGER NOT NULL,
  state        TEXT    NOT NULL CHECK (state IN ('waiting', 'held', 'dead', 'quarantined', 'done')),
  blocks       INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  due_at       INTEGER NOT NULL,
  owner        TEXT,
  error_code   TEXT    NOT NULL,
  last_error   TEXT    NOT NULL,
  story        TEXT    NOT NULL,
  parked_at    INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  PRIMARY KEY (sequence, destination)
) STRICT, WITHOUT ROWID;
CREATE INDEX "{outbox}_parked_due" ON "{outbox}_parked" (destination, due_at, sequence) WHERE state = 'waiting';
CREATE INDEX "{outbox}_parked_blocks" ON "{outbox}_parked" (tenant_id, dispatch_key) WHERE blocks = 1;
CREATE INDEX "{outbox}_parked_dead" ON "{outbox}_parked" (sequence) WHERE state IN ('dead', 'quarantined');
CREATE INDEX "{outbox}_parked_ended" ON "{outbox}_parked" (state, changed_at) WHERE state = 'done' OR state = 'dead';

-- What operators have asked for.
CREATE TABLE "{outbox}_request" (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT    NOT NULL,
  sequence    INTEGER NOT NULL,
  destination TEXT    NOT NULL,
  operator    TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  done_at     INTEGER,
  result      TEXT
) STRICT;
CREATE INDEX "{outbox}_request_open" ON "{outbox}_request" (id) WHERE done_at IS NULL;

-- Messages that were cleaned from the log while a parked delivery still needs them.
CREATE TABLE "{outbox}_kept" (
  sequence     INTEGER PRIMARY KEY,
  event_id     TEXT    NOT NULL,
  tenant_id    TEXT    NOT NULL,
  topic        TEXT    NOT NULL,
  dispatch_key TEXT,
  priority     INTEGER NOT NULL,
  payload      TEXT,
  body         BLOB,
  content_type TEXT,
  headers      TEXT,
  envelope_id  TEXT,
  traceparent  TEXT,
  tracestate   TEXT,
  created_at   INTEGER NOT NULL,
  available_at INTEGER,
  expires_at   INTEGER
) STRICT;

-- name: migration_0001_outbox_down
DROP VIEW IF EXISTS "{outbox}_status_003";
DROP VIEW IF EXISTS "{outbox}_status";
DROP TABLE IF EXISTS "{outbox}_kept";
DROP TABLE IF EXISTS "{outbox}_request";
DROP TABLE IF EXISTS "{outbox}_parked";
DROP TABLE IF EXISTS "{outbox}_turn";
DROP TABLE IF EXISTS "{outbox}";
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 1;
