SELECT (to_regnamespace($1) IS NOT NULL)::int
