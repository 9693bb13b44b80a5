DROP FUNCTION IF EXISTS {outbox}_wake_up;
DROP FUNCTION IF EXISTS {outbox}_ring CASCADE;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 3;
