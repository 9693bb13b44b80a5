-- name: idempotency_0003_inbox
-- Which events a consumer has applied. INSERT ... ON CONFLICT DO NOTHING in the transaction that applies it: one row is fresh, none is
-- a repeat, and an event older than what is remembered rolls the transaction back.
CREATE TABLE makegood_inbox (
  consumer   TEXT    NOT NULL CHECK (consumer <> ''),
  source     TEXT    NOT NULL DEFAULT '',
  tenant_id  TEXT    NOT NULL DEFAULT 'default',
  event_id   TEXT    NOT NULL CHECK (event_id <> ''),
  event_time INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
  PRIMARY KEY (consumer, source, tenant_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX makegood_inbox_time ON makegood_inbox (consumer, event_time);

-- Up to which time of events the inbox has been purged.
CREATE TABLE makegood_inbox_watermark (
  consumer  TEXT    PRIMARY KEY,
  purged_to INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER makegood_inbox_expired AFTER INSERT ON makegood_inbox
WHEN NEW.event_time <= (SELECT purged_to FROM makegood_inbox_watermark WHERE consumer = NEW.consumer)
BEGIN
  SELECT RAISE(ROLLBACK, 'This event is older than what the inbox remembers, so whether it was applied is unknown; make it a dead letter.');
END;

-- name: idempotency_0003_inbox_down
DROP TABLE IF EXISTS makegood_inbox;
DROP TABLE IF EXISTS makegood_inbox_watermark;
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 3;
