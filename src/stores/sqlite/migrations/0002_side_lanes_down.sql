-- Migrations are only taken back all together: what this one added to the tables of the first goes with them.
DROP VIEW IF EXISTS "{outbox}_status_003";
DROP VIEW IF EXISTS "{outbox}_status";
DROP TABLE IF EXISTS "{outbox}_route";
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 2;
