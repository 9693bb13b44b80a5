-- name: has_migrations
SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'makegood_migration')

-- name: migration_number
SELECT coalesce(max(number), 0) FROM makegood_migration WHERE outbox = '{outbox}'

-- name: known_outboxes
-- Those whose tables are there, as one text.
SELECT coalesce(group_concat(outbox, ', '), '')
FROM (SELECT outbox FROM makegood_migration WHERE number = 1 AND name = 'outbox' ORDER BY outbox LIMIT 20) AS known

-- name: has_undelivered
SELECT EXISTS (SELECT 1 FROM "{outbox}_status" WHERE state <> 'done')
