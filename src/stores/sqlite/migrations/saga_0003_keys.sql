-- name: saga_migration_0003_keys
-- Executions of one tenant and key run one after the other. Who holds a key: one row from the begin of an execution until it has ended
-- and nothing of it is open.
CREATE TABLE "{outbox}_key" (
  tenant_id TEXT    NOT NULL,
  key       TEXT    NOT NULL,
  execution INTEGER NOT NULL,
  id        TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, key)
) STRICT, WITHOUT ROWID;

-- The key that an execution waits for before it begins.
ALTER TABLE "{outbox}_waiting" ADD COLUMN key TEXT NOT NULL DEFAULT '';
CREATE INDEX "{outbox}_waiting_key" ON "{outbox}_waiting" (tenant_id, key, execution) WHERE key <> '';

-- name: saga_migration_0003_keys_down
DROP TABLE IF EXISTS "{outbox}_key";
DROP INDEX IF EXISTS "{outbox}_waiting_key";
ALTER TABLE "{outbox}_waiting" DROP COLUMN key;
DELETE FROM makegood_migration WHERE outbox = '{outbox}_journal' AND number = 3;
