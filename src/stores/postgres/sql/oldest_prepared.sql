SELECT gid, prepared FROM pg_prepared_xacts WHERE database = current_database() ORDER BY prepared LIMIT 1
