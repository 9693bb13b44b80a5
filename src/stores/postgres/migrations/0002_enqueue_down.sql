-- The schema makegood stays: other outboxes use it.
DROP FUNCTION IF EXISTS {outbox}_enqueue_all;
DROP FUNCTION IF EXISTS {outbox}_enqueue;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 2;
