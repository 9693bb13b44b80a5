-- Who may still commit a number that was drawn: nextval holds this lock to the end of the transaction. The second column is for
-- those who do nothing: as long as it stays the same they have drawn nothing more. Of sessions of other roles it is told only
-- to members of pg_read_all_stats. The third is the transaction's own id, in all its 64 bits: the oldest of those that it has
-- locked, which may be below the snapshot's end or not far above it. 0: it has none.
WITH locks AS MATERIALIZED (
  SELECT locktype, database, relation, virtualtransaction, transactionid::text::bigint AS id, pid, mode FROM pg_locks WHERE granted
), ids AS (
  SELECT virtualtransaction, min(above - ((above - id) & 4294967295)) AS id
  FROM locks, (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000000) AS snapshot (above)
  WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' GROUP BY virtualtransaction
)
SELECT l.virtualtransaction,
       CASE WHEN l.pid IS NULL THEN 'prepared'
            WHEN a.state LIKE 'idle in transaction%' THEN a.state_change::text
            ELSE '' END,
       coalesce(ids.id, 0)
FROM locks AS l LEFT JOIN ids USING (virtualtransaction) LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.relation = $1::regclass
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
