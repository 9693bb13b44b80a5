DROP VIEW IF EXISTS "{outbox}_status_003";
DROP VIEW IF EXISTS "{outbox}_status";
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 4;
