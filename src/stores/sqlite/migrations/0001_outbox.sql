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

-- Each message with what has become of it, derived from the last turn and the parked deliveries.
CREATE VIEW "{outbox}_status" AS
WITH
  message AS (
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, payload, created_at, available_at FROM "{outbox}"
    UNION ALL
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, payload, created_at, available_at FROM "{outbox}_kept"
  ),
  last AS (SELECT at, reached, position FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1),
  under_way AS (
    SELECT json_extract(range.value, '$[0]') AS low, json_extract(range.value, '$[1]') AS high
    FROM last, json_each(last.position, '$.under_way') AS destination, json_each(destination.value) AS range
  ),
  open AS (
    SELECT json_extract(range.value, '$[0]') AS low, json_extract(range.value, '$[1]') AS high
    FROM last, json_each(last.position, '$.open') AS range
  ),
  parked AS (
    SELECT sequence, max(attempts) AS attempts, max(changed_at) AS changed_at,
           max(CASE WHEN state = 'waiting' THEN due_at END) AS due_at,
           max(nullif(last_error, '')) AS last_error,
           max(state = 'dead') AS is_dead, max(state = 'quarantined') AS is_quarantined,
           max(owner IS NOT NULL) AS is_under_way, max(state IN ('waiting', 'held')) AS is_waiting
    FROM "{outbox}_parked" GROUP BY sequence
  ),
  known AS (
    SELECT message.*, parked.attempts, parked.changed_at, parked.due_at, parked.last_error,
      EXISTS (SELECT 1 FROM under_way WHERE message.sequence BETWEEN low AND high) AS is_in_hole,
      CASE
        WHEN is_dead THEN 'dead'
        WHEN is_quarantined THEN 'quarantined'
        WHEN EXISTS (SELECT 1 FROM under_way WHERE message.sequence BETWEEN low AND high) OR is_under_way THEN 'leased'
        WHEN message.sequence > coalesce((SELECT reached FROM last), 0) THEN 'pending'
        WHEN EXISTS (SELECT 1 FROM open WHERE message.sequence BETWEEN low AND high) OR is_waiting THEN 'pending'
        ELSE 'done'
      END AS state
    FROM message LEFT JOIN parked ON parked.sequence = message.sequence
  ),
  timed AS (
    SELECT known.*,
      CASE WHEN state = 'done' THEN coalesce(
        changed_at,
        (SELECT at FROM "{outbox}_turn" WHERE lane = 0 AND settled >= known.sequence ORDER BY settled, turn LIMIT 1),
        (SELECT at FROM last)) END AS published_ms,
      CASE WHEN state = 'leased' THEN iif(is_in_hole, (SELECT at FROM last), changed_at) END AS locked_ms
    FROM known
  )
SELECT
  event_id AS id, tenant_id, topic, payload, event_id, sequence,
  strftime('%Y-%m-%d %H:%M:%f', created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%d %H:%M:%f', published_ms / 1000.0, 'unixepoch') AS published_at,
  coalesce(attempts, state IN ('done', 'leased')) AS attempts,
  strftime('%Y-%m-%d %H:%M:%f', coalesce(due_at, available_at, created_at) / 1000.0, 'unixepoch') AS available_at,
  strftime('%Y-%m-%d %H:%M:%f', locked_ms / 1000.0, 'unixepoch') AS locked_at,
  last_error, state, dispatch_key
FROM timed;

-- The same in other words.
CREATE VIEW "{outbox}_status_003" AS
SELECT
  sequence AS id, tenant_id, topic AS event_type, dispatch_key AS aggregate_id, payload,
  CASE WHEN state = 'done' THEN 'SENT' WHEN state IN ('dead', 'quarantined') THEN 'FAILED' ELSE 'PENDING' END AS status,
  max(attempts - 1, 0) AS retry_count,
  available_at AS next_retry_time, created_at AS create_time,
  coalesce(published_at, locked_at, created_at) AS update_time
FROM "{outbox}_status";
