-- The turns stay as they are: they hold all that those before held.
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 6;
