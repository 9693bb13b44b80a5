-- Of tables, views, indexes and functions.
SELECT name FROM unnest($1) WITH ORDINALITY AS wanted (name, place)
WHERE to_regclass(name) IS NULL AND to_regproc(name) IS NULL ORDER BY place
