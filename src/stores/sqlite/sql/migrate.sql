-- name: has_migrations
SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'makegood_migration')

-- name: migration_number
SELECT coalesce(max(number), 0) FROM makegood_migration WHERE outbox = '{outbox}'

-- name: has_undelivered
SELECT EXISTS (SELECT 1 FROM "{outbox}_status" WHERE state <> 'done')
