-- name: migration_0010_log_oid
-- Which tables the log and its sequence are: a restore over the database makes others in their place, with what they held long ago.
-- A JSON object: for each outbox of the schema its oids, `log` and `number`. What is not there was not known yet, and is not compared.
ALTER TABLE {schema}makegood_store ADD COLUMN IF NOT EXISTS logs jsonb;

-- Those of an outbox of this name that was dropped say nothing about these tables.
UPDATE {schema}makegood_store
SET logs = coalesce(logs, jsonb_build_object()) || jsonb_build_object({text}::text, jsonb_build_object(
  'log', {regclass}::oid::bigint, 'number', (SELECT tableoid::bigint FROM {outbox}_number)))
WHERE id = 1;

-- name: migration_0010_log_oid_down
-- The column stays, as makegood_store does: it belongs to all outboxes of the schema.
UPDATE {schema}makegood_store SET logs = logs - {text}::text WHERE id = 1;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 10;
