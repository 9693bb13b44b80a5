DROP VIEW IF EXISTS {outbox}_status_003;
DROP VIEW IF EXISTS {outbox}_status;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 4;
