-- name: saga_migration_0005_summary
-- Ended executions, counted: by the hour since 1970 in which they were begun, and by a class of how long they took
-- (src/base/saga_statistics.hpp). Written by steps of the upkeep, not by executions.
CREATE TABLE {outbox}_summary (
  hour       bigint NOT NULL,
  tenant_id  text   NOT NULL,
  definition text   NOT NULL,
  version    bigint NOT NULL,
  state      text   NOT NULL CHECK (state IN ('completed', 'compensated', 'failed', 'cancelled')),
  took       bigint NOT NULL,
  count      bigint NOT NULL,
  CONSTRAINT {name}_summary_pkey PRIMARY KEY (hour, tenant_id, definition, version, state, took)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- One row: ends of executions up to folded_to are in the summary; how many executions were purged, and by when they had ended.
CREATE TABLE {outbox}_upkeep (
  folded_to     bigint NOT NULL,
  purged_count  bigint NOT NULL,
  purged_before timestamptz
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
INSERT INTO {outbox}_upkeep (folded_to, purged_count) VALUES (0, 0);

-- name: saga_migration_0005_summary_down
DROP TABLE IF EXISTS {outbox}_upkeep;
DROP TABLE IF EXISTS {outbox}_summary;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} || '_journal' AND number = 5;
