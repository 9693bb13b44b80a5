-- Of the current role, on relations that are there. On some columns is enough: of the log, the number is not to be written.
SELECT relation || ': ' || privilege
FROM unnest($1, $2) WITH ORDINALITY AS wanted (relation, privilege, place)
WHERE to_regclass(relation) IS NOT NULL
  AND NOT CASE WHEN privilege = 'DELETE' THEN has_table_privilege(to_regclass(relation), privilege)
               ELSE has_any_column_privilege(to_regclass(relation), privilege) END
ORDER BY place
