-- name: source_migration_number
SELECT coalesce(max(number), 0) FROM {schema}makegood_migration WHERE outbox = {text} || '_source'

-- name: list_sources
SELECT name, document, is_paused, version, code, trouble, trouble_at FROM {outbox}_source ORDER BY name COLLATE "C"

-- name: put_source
INSERT INTO {outbox}_source AS known (name, document) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET document = excluded.document, version = known.version + 1
WHERE known.document <> excluded.document
RETURNING name

-- name: remove_source
DELETE FROM {outbox}_source WHERE name = $1 RETURNING name

-- name: remove_source_places
DELETE FROM {outbox}_source_place WHERE source = $1

-- name: pause_source
UPDATE {outbox}_source SET version = version + (is_paused <> $2)::integer, is_paused = $2 WHERE name = $1 RETURNING name

-- name: tell_source_trouble
UPDATE {outbox}_source
SET code = $2, trouble = $3, trouble_at = CASE WHEN $2 <> '' THEN coalesce($4, clock_timestamp()) END
WHERE name = $1 AND (code <> $2 OR trouble <> $3)
RETURNING name

-- name: list_source_places
SELECT partition, next, taken, behind, changed_at FROM {outbox}_source_place WHERE source = $1
ORDER BY partition COLLATE "C"

-- name: begin_source_place
-- Nothing if somebody else was first.
INSERT INTO {outbox}_source_place (source, partition, next, taken, behind, changed_at)
VALUES ($1, $2, $3, $4, $5, coalesce($6, clock_timestamp()))
ON CONFLICT (source, partition) DO NOTHING
RETURNING partition

-- name: move_source_place
-- Nothing unless it is where the reader remembers it. Who comes second waits here, and then finds it elsewhere.
UPDATE {outbox}_source_place
SET next = $4, taken = taken + $5, behind = $6, changed_at = coalesce($7, clock_timestamp())
WHERE source = $1 AND partition = $2 AND next = $3
RETURNING partition

-- name: set_source_place
UPDATE {outbox}_source_place SET next = $3, changed_at = coalesce($4, clock_timestamp())
WHERE source = $1 AND partition = $2
RETURNING partition

-- name: touch_source
-- Whoever reads it begins anew.
UPDATE {outbox}_source SET version = version + 1, code = '', trouble = '', trouble_at = NULL WHERE name = $1
