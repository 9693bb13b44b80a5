-- name: saga_migration_0004_repin
-- An execution may go on by another version: the views of saga_views.sql, which are made after this, show the one that it goes by now.
DROP VIEW IF EXISTS "{outbox}_manual_intervention";
DROP VIEW IF EXISTS "{outbox}_compensation_log";
DROP VIEW IF EXISTS "{outbox}_execution";
DROP VIEW IF EXISTS "{outbox}_step_execution";
DROP VIEW IF EXISTS "{outbox}_step";
DROP VIEW IF EXISTS "{outbox}_defined_step";
DROP VIEW IF EXISTS "{outbox}_record";

-- name: saga_migration_0004_repin_down
-- The views go with migration 2.
DELETE FROM makegood_migration WHERE outbox = '{outbox}_journal' AND number = 4;
