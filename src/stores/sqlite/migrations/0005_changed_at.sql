-- name: migration_0005_changed_at
-- Changed the views of status.sql.

-- name: migration_0005_changed_at_down
-- The views stay: they have all that those before had.
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 5;
