DROP VIEW IF EXISTS {outbox}_status_003;
DROP VIEW IF EXISTS {outbox}_status;
DROP TABLE IF EXISTS {outbox}_route;
DROP TABLE IF EXISTS {outbox}_kept;
DROP TABLE IF EXISTS {outbox}_request;
DROP TABLE IF EXISTS {outbox}_parked;
DROP TABLE IF EXISTS {outbox}_turn;
DROP TABLE IF EXISTS {outbox};
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 1;
