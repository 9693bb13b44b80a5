-- name: saga_migration_0003_keys
-- Executions of one tenant and key run one after the other. Who holds a key: one row from the begin of an execution until it has ended
-- and nothing of it is open.
CREATE TABLE {outbox}_key (
  tenant_id text   NOT NULL,
  key       text   NOT NULL,
  execution bigint NOT NULL,
  id        text   NOT NULL,
  CONSTRAINT {name}_key_pkey PRIMARY KEY (tenant_id, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- The key that an execution waits for before it begins.
ALTER TABLE {outbox}_waiting ADD COLUMN key text NOT NULL DEFAULT '';
CREATE INDEX {name}_waiting_key ON {outbox}_waiting (tenant_id, key, execution) WHERE key <> '';

-- name: saga_migration_0003_keys_down
DROP TABLE IF EXISTS {outbox}_key;
ALTER TABLE {outbox}_waiting DROP COLUMN key;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} || '_journal' AND number = 3;
