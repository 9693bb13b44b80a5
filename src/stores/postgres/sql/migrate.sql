-- name: has_table
-- Through the catalogue's own table: only that makes a transaction hear of tables that were made after it had begun. By itself
-- to_regclass would go on saying what it said before.
SELECT count(*) FROM pg_class WHERE oid = to_regclass($1)

-- name: has_schema
SELECT (to_regnamespace($1) IS NOT NULL)::int

-- name: migration_number
SELECT coalesce(max(number), 0) FROM {schema}makegood_migration WHERE outbox = {text}

-- name: migration_lock
-- One migration at a time in this database, of whatever outbox; in exchange one waits for longer than elsewhere.
SELECT set_config('lock_timeout', '1min', true), pg_advisory_xact_lock(hashtextextended('makegood migration', 0))::text

-- name: migration_patience
-- Whoever waits for a table keeps those behind it waiting, too: producers. So one waits briefly, and tries again.
SELECT set_config('lock_timeout', '500ms', true)

-- name: known_outboxes
-- Those whose tables are there, as one text.
SELECT coalesce(string_agg(outbox, ', ' ORDER BY outbox), '')
FROM (SELECT outbox FROM {schema}makegood_migration WHERE number = 1 AND name = 'outbox' ORDER BY outbox LIMIT 20) AS known

-- name: has_undelivered
SELECT EXISTS (SELECT 1 FROM {outbox}_status WHERE state <> 'done')::int

-- name: missing_parts
-- Of tables, views, indexes and functions; and of the columns and triggers of those tables that are there.
SELECT relation || CASE WHEN is_column THEN ': column ' || of_column WHEN is_trigger THEN ': trigger ' || of_trigger ELSE '' END
FROM (SELECT relation, of_column, of_trigger, of_column <> '' AS is_column, of_trigger <> '' AS is_trigger, min(place) AS place
      FROM unnest($1, $2, $3) WITH ORDINALITY AS wanted (relation, of_column, of_trigger, place)
      GROUP BY relation, of_column, of_trigger) AS wanted
WHERE CASE
  WHEN is_column THEN to_regclass(relation) IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(relation) AND attname = of_column AND NOT attisdropped)
  WHEN is_trigger THEN to_regclass(relation) IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM pg_trigger WHERE tgrelid = to_regclass(relation) AND tgname = of_trigger AND tgenabled IN ('O', 'A'))
  ELSE to_regclass(relation) IS NULL AND to_regproc(relation) IS NULL END
ORDER BY place

-- name: missing_rights
-- Of the current role, on relations that are there. On some columns is enough: of the log, the number is not to be written.
SELECT relation || ': ' || privilege
FROM unnest($1, $2) WITH ORDINALITY AS wanted (relation, privilege, place)
WHERE to_regclass(relation) IS NOT NULL
  AND NOT CASE WHEN privilege = 'DELETE' THEN has_table_privilege(to_regclass(relation), privilege)
               ELSE has_any_column_privilege(to_regclass(relation), privilege) END
ORDER BY place
