-- What this one added to the tables of the others goes with them.
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 3;
