-- Through the catalogue's own table: only that makes a transaction hear of tables that were made after it had begun. By itself
-- to_regclass would go on saying what it said before.
SELECT count(*) FROM pg_class WHERE oid = to_regclass($1)
