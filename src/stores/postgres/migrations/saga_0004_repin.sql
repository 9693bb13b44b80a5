-- name: saga_migration_0004_repin
-- An execution may go on by another version: the views of saga_views.sql, which are replaced after this, show the one that it goes by now.

-- name: saga_migration_0004_repin_down
-- The views go with migration 2.
DELETE FROM {schema}makegood_migration WHERE outbox = {text} || '_journal' AND number = 4;
