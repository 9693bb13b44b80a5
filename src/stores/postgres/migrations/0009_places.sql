-- name: migration_0009_places
-- What tells this database from a copy, beside the server's system identifier: a physical copy has that, too. All outboxes of the
-- schema share it. What is NULL was not known yet, and is not compared: whoever owns a lane next records it.
ALTER TABLE {schema}makegood_store
  ADD COLUMN IF NOT EXISTS environment text,  -- The name of where it belongs, store.environment.
  ADD COLUMN IF NOT EXISTS places      jsonb; -- Where it was reached: host, port and database as written, and for loopback and sockets the machine.

-- name: migration_0009_places_down
-- The columns stay, as makegood_store does: they belong to all outboxes of the schema.
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 9;
