-- name: saga_migration_0005_summary
-- Ended executions, counted: by the hour since 1970 in which they were begun, and by a class of how long they took
-- (src/base/saga_statistics.hpp). Written by steps of the upkeep, not by executions.
CREATE TABLE "{outbox}_summary" (
  hour       INTEGER NOT NULL,
  tenant_id  TEXT    NOT NULL,
  definition TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('completed', 'compensated', 'failed', 'cancelled')),
  took       INTEGER NOT NULL,
  count      INTEGER NOT NULL,
  PRIMARY KEY (hour, tenant_id, definition, version, state, took)
) STRICT, WITHOUT ROWID;

-- One row: ends of executions up to folded_to are in the summary; how many executions were purged, and by when they had ended.
CREATE TABLE "{outbox}_upkeep" (
  folded_to     INTEGER NOT NULL,
  purged_count  INTEGER NOT NULL,
  purged_before INTEGER
) STRICT;
INSERT INTO "{outbox}_upkeep" (folded_to, purged_count) VALUES (0, 0);

-- name: saga_migration_0005_summary_down
DROP TABLE IF EXISTS "{outbox}_upkeep";
DROP TABLE IF EXISTS "{outbox}_summary";
DELETE FROM makegood_migration WHERE outbox = '{outbox}_journal' AND number = 5;
