-- name: migration_0011_replay
-- Which request has a parked delivery delivered once more (its id); 0: none has. It is part of the id under which a broker knows the message,
-- so that a replay is no repeat.
ALTER TABLE {outbox}_parked ADD COLUMN replay bigint NOT NULL DEFAULT 0;

-- name: migration_0011_replay_down
-- The column stays, and goes with its table.
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 11;
