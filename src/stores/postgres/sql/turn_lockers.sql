-- Who holds up a taker: a transaction that has written a turn and does not end.
SELECT a.pid, coalesce(a.application_name, ''), coalesce(a.client_addr::text, 'local'), coalesce(a.state, 'unknown')
FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.relation = $1::regclass AND l.pid <> pg_backend_pid()
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
