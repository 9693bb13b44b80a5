-- name: migration_0004_status
-- Made the views of status.sql. The last migration that has changed them makes them as they are now.

-- name: migration_0004_status_down
DROP VIEW IF EXISTS "{outbox}_status_003";
DROP VIEW IF EXISTS "{outbox}_status";
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 4;
