-- name: migration_0007_log_mark
-- What a turn remembers of the log: the newest row that was read (its number and event id; it stays in the log), the counter,
-- how far the log was cleaned, and why nothing is read, if so. Of the turns that are there nothing is known.
ALTER TABLE "{outbox}_turn" ADD COLUMN anchor       INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "{outbox}_turn" ADD COLUMN anchor_event TEXT    NOT NULL DEFAULT '';
ALTER TABLE "{outbox}_turn" ADD COLUMN counter      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "{outbox}_turn" ADD COLUMN cleaned      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "{outbox}_turn" ADD COLUMN stopped      TEXT    NOT NULL DEFAULT '';

-- A parked delivery and what is kept for it belong to a message, not to a number: another message may draw it again. Of those that are
-- there the message is the one that has the number now.
CREATE TABLE "{outbox}_parked_before" AS SELECT * FROM "{outbox}_parked";
DROP TABLE "{outbox}_parked";
CREATE TABLE "{outbox}_parked" (
  sequence     INTEGER NOT NULL,
  destination  TEXT    NOT NULL,
  event_id     TEXT    NOT NULL,
  tenant_id    TEXT    NOT NULL,
  dispatch_key TEXT    NOT NULL,
  slot         INTEGER NOT NULL,
  state        TEXT    NOT NULL CHECK (state IN ('waiting', 'held', 'dead', 'quarantined', 'done')),
  blocks       INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  deaths       INTEGER NOT NULL DEFAULT 0,
  due_at       INTEGER NOT NULL,
  owner        TEXT,
  error_code   TEXT    NOT NULL,
  last_error   TEXT    NOT NULL,
  story        TEXT    NOT NULL,
  parked_at    INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  PRIMARY KEY (sequence, destination, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX "{outbox}_parked_due" ON "{outbox}_parked" (destination, due_at, sequence, tenant_id, state, owner)
WHERE state = 'waiting';
CREATE INDEX "{outbox}_parked_blocks" ON "{outbox}_parked" (tenant_id, dispatch_key) WHERE blocks = 1;
CREATE INDEX "{outbox}_parked_dead"
ON "{outbox}_parked" (sequence, destination, tenant_id, error_code, state, changed_at)
WHERE state IN ('dead', 'quarantined');
CREATE INDEX "{outbox}_parked_ended" ON "{outbox}_parked" (state, changed_at) WHERE state = 'done' OR state = 'dead';
CREATE INDEX "{outbox}_parked_count" ON "{outbox}_parked" (destination, state, attempts)
WHERE state = 'held' OR (state = 'waiting' AND attempts > 0);
INSERT INTO "{outbox}_parked" (sequence, destination, event_id, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at,
                               owner, error_code, last_error, story, parked_at, changed_at)
SELECT sequence, destination,
       coalesce((SELECT event_id FROM "{outbox}" AS m WHERE m.sequence = p.sequence),
                (SELECT event_id FROM "{outbox}_kept" AS k WHERE k.sequence = p.sequence), ''),
       tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at, owner, error_code, last_error, story, parked_at,
       changed_at
FROM "{outbox}_parked_before" AS p;
DROP TABLE "{outbox}_parked_before";

CREATE TABLE "{outbox}_kept_before" AS SELECT * FROM "{outbox}_kept";
DROP TABLE "{outbox}_kept";
CREATE TABLE "{outbox}_kept" (
  sequence     INTEGER NOT NULL,
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
  expires_at   INTEGER,
  PRIMARY KEY (sequence, event_id)
) STRICT;
CREATE INDEX "{outbox}_kept_event" ON "{outbox}_kept" (event_id);
INSERT INTO "{outbox}_kept" SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers,
                                   envelope_id, traceparent, tracestate, created_at, available_at, expires_at
FROM "{outbox}_kept_before";
DROP TABLE "{outbox}_kept_before";

-- name: migration_0007_log_mark_down
-- The columns stay: they have defaults, or are filled in by whoever writes.
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 7;
