-- name: migration_0006_log_mark
-- What a turn remembers of the log: the newest row that was read (its number and event id; it stays in the log), the counter,
-- how far the log was cleaned, and why nothing is read, if so. Of the turns that are there nothing is known. No row is rewritten.
ALTER TABLE {outbox}_turn
  ADD COLUMN anchor       bigint NOT NULL DEFAULT 0,
  ADD COLUMN anchor_event text   NOT NULL DEFAULT '',
  ADD COLUMN counter      bigint NOT NULL DEFAULT 0,
  ADD COLUMN cleaned      bigint NOT NULL DEFAULT 0,
  ADD COLUMN stopped      text   NOT NULL DEFAULT '';

-- A parked delivery and what is kept for it belong to a message, not to a number: another message may draw it again. Of those that are
-- there the message is the one that has the number now.
ALTER TABLE {outbox}_parked ADD COLUMN event_id text NOT NULL DEFAULT '';
UPDATE {outbox}_parked AS p
SET event_id = coalesce((SELECT event_id FROM {outbox} AS m WHERE m.sequence = p.sequence),
                        (SELECT event_id FROM {outbox}_kept AS k WHERE k.sequence = p.sequence), '');
ALTER TABLE {outbox}_parked DROP CONSTRAINT {name}_parked_pkey;
ALTER TABLE {outbox}_parked ADD CONSTRAINT {name}_parked_pkey PRIMARY KEY (sequence, destination, event_id);
ALTER TABLE {outbox}_kept DROP CONSTRAINT {name}_kept_pkey;
ALTER TABLE {outbox}_kept ADD CONSTRAINT {name}_kept_pkey PRIMARY KEY (sequence, event_id);

-- name: migration_0006_log_mark_down
-- The columns stay: they have defaults, and nobody asks for them.
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 6;
