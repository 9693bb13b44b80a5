-- The views and the function stay: they have all that those before had.
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 5;
