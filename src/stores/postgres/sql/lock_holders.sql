-- Who may still commit a number that was drawn: nextval holds this lock to the end of the transaction. The second column is for
-- those who do nothing: as long as it stays the same they have drawn nothing more. Of sessions of other roles it is told only
-- to members of pg_read_all_stats.
SELECT l.virtualtransaction,
       CASE WHEN l.pid IS NULL THEN 'prepared'
            WHEN a.state LIKE 'idle in transaction%' THEN a.state_change::text
            ELSE '' END
FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.relation = $1::regclass
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
