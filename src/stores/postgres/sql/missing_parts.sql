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
