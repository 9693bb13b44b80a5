-- name: saga_migration_0002_views
-- Made the views of saga_views.sql. The last migration that has changed them makes them as they are now.

-- name: saga_migration_0002_views_down
DROP VIEW IF EXISTS {outbox}_manual_intervention;
DROP VIEW IF EXISTS {outbox}_compensation_log;
DROP VIEW IF EXISTS {outbox}_execution;
DROP VIEW IF EXISTS {outbox}_step_execution;
DROP VIEW IF EXISTS {outbox}_step;
DROP VIEW IF EXISTS {outbox}_defined_step;
DROP VIEW IF EXISTS {outbox}_record;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} || '_journal' AND number = 2;
