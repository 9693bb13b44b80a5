-- The views stay: they have all that those before had.
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 5;
