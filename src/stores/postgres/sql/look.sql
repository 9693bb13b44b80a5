-- name: look_heads
-- The counter is not bound to the snapshot, and is read after it: no visible row that was numbered by it lies above. Beside it, what
-- the last turn remembers of the log, and the row that should be its anchor. One row for each of these transactions ($2) that has
-- ended, as this statement's snapshot sees it, or one without: then its rows are visible, or never will be.
SELECT CASE WHEN is_called THEN last_value ELSE 0 END, coalesce((SELECT max(sequence) FROM {outbox}), 0),
       coalesce($1, clock_timestamp()), pg_postmaster_start_time(), ended.id,
       (SELECT seqcache = 1 AND seqincrement = 1 AND NOT seqcycle FROM pg_sequence WHERE seqrelid = number.tableoid),
       last.turn, last.owner, last.reached, last.anchor, last.anchor_event, last.counter, last.cleaned, last.stopped,
       (SELECT event_id FROM {outbox} WHERE sequence = last.anchor)
FROM {outbox}_number AS number
LEFT JOIN (SELECT turn, owner, reached, anchor, anchor_event, counter, cleaned, stopped
           FROM {outbox}_turn WHERE lane = $3 ORDER BY turn DESC LIMIT 1) AS last ON true
LEFT JOIN (SELECT id FROM unnest($2::bigint[]) AS id WHERE pg_visible_in_snapshot(id::text::xid8, pg_current_snapshot())) AS ended
  ON true

-- name: look_beyond
-- A content that is large where it is stored is left out, and read by itself if there is room for it.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at
FROM {outbox} WHERE sequence > $1 ORDER BY sequence LIMIT $2

-- name: look_keys
-- As look_beyond, with a number that stands for tenant and key: while something is open below, rows may have to wait for others of
-- their key. Without the ranges of look_numbers a drain takes a tenth less time.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at,
       CASE WHEN dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
FROM {outbox} WHERE sequence > $1 ORDER BY sequence LIMIT $2

-- name: look_numbers
-- As look_beyond, and before it what has become visible of some ranges of numbers, $5 at most. In one statement, so that of two
-- rows of one key the later is never seen without the earlier. The ranges are in order, and each is read down its index. The last
-- column stands for tenant and key. The columns stand there twice: from a common table of all columns they take a fifth longer.
WITH late AS MATERIALIZED (
  SELECT row.*
  FROM unnest($3::bigint[], $4::bigint[]) AS range (low, high),
       LATERAL (SELECT * FROM {outbox} WHERE sequence BETWEEN range.low AND range.high ORDER BY sequence LIMIT $5) AS row
  LIMIT $5
)
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at,
       CASE WHEN dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
FROM late
UNION ALL
(SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at,
       CASE WHEN dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
 FROM {outbox} WHERE sequence > $1 AND $6 ORDER BY sequence LIMIT greatest($2 - (SELECT count(*) FROM late), 0))

-- name: scan_beyond
-- The columns that a filter asks about, and no more: what is passed is not read. First what is visible of some ranges of numbers,
-- $5 at most, then up to $6 rows in ($1, $2]. Then whether a replay of history to the destination $7 leaves the row out; and
-- where $8 asks for it, a number that stands for tenant and key.
WITH late AS MATERIALIZED (
  SELECT row.*
  FROM unnest($3::bigint[], $4::bigint[]) AS range (low, high),
       LATERAL (SELECT sequence, tenant_id, topic, dispatch_key, priority FROM {outbox}
                WHERE sequence BETWEEN range.low AND range.high ORDER BY sequence LIMIT $5) AS row
  LIMIT $5
), found AS (
  SELECT sequence, tenant_id, topic, dispatch_key, priority, false AS is_left_out FROM late
  UNION ALL
  (SELECT sequence, tenant_id, topic, dispatch_key, priority,
          CASE WHEN $7 = '' THEN false ELSE coalesce((
            SELECT true FROM {outbox}_parked AS p
            WHERE p.sequence = m.sequence AND p.event_id = m.event_id
              AND ((p.destination = $7 AND p.state <> 'done')
                OR (p.destination = '-' AND (p.state IN ('waiting', 'quarantined') OR p.error_code = 'TX.CANCELLED')))
            LIMIT 1), false) END
   FROM {outbox} AS m WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $6)
)
SELECT sequence, tenant_id, topic, dispatch_key, priority, is_left_out,
       CASE WHEN $8 AND dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
FROM found

-- name: late_heads
-- How much is visible of each range, and the keys of it: a number for each, as look_numbers has it, one after the other.
SELECT low, high, visible.count, visible.keys
FROM unnest($1::bigint[], $2::bigint[]) AS range (low, high),
     LATERAL (SELECT count(*) AS count,
                     string_agg(int8send(hashtextextended(tenant_id, hashtextextended(dispatch_key, 0))), '')
                       FILTER (WHERE dispatch_key <> '') AS keys
              FROM {outbox} WHERE sequence BETWEEN low AND high) AS visible
WHERE visible.count > 0

-- name: late_numbers
-- What is visible of these ranges, which are in order, and for each row the number that stands for its key.
SELECT sequence, CASE WHEN dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
FROM unnest($1::bigint[], $2::bigint[]) AS range (low, high),
     LATERAL (SELECT sequence, tenant_id, dispatch_key FROM {outbox} WHERE sequence BETWEEN low AND high ORDER BY sequence) AS row

-- name: read_number
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at
FROM {outbox} WHERE sequence = $1

-- name: read_kept
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at
FROM {outbox}_kept WHERE sequence = $1 AND event_id = $2

-- name: read_messages
-- As in look_beyond, large contents are left out.
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id,
       CASE WHEN pg_column_size(payload) <= 16384 THEN payload END, CASE WHEN pg_column_size(body) <= 16384 THEN body END,
       content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at
FROM unnest($1::bigint[]) AS wanted (number), LATERAL (SELECT * FROM {outbox} WHERE sequence = number LIMIT 1) AS row

-- name: row_in_cleaned
-- Whether a row lies where the log was cleaned. What was deleted there and not vacuumed yet is in the way, so it is asked rarely.
SELECT coalesce((SELECT true FROM {outbox} WHERE sequence <= last.cleaned ORDER BY sequence LIMIT 1), false)
FROM (SELECT coalesce((SELECT cleaned FROM {outbox}_turn WHERE lane = $1 ORDER BY turn DESC LIMIT 1), 0) AS cleaned) AS last

-- name: first_row
SELECT coalesce((SELECT sequence FROM {outbox} ORDER BY sequence LIMIT 1), 0)

-- name: read_waiting
-- Without some tenants ($4): theirs are passed on the index alone, however many there are. Each row is then read by its key: LIMIT 1
-- leaves the planner no other way, not even while the table is empty.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay
FROM (
  SELECT sequence, destination, due_at FROM {outbox}_parked
  WHERE state = 'waiting' AND destination = $1 AND (owner IS NULL OR owner <> $2) AND NOT tenant_id = ANY($4)
  ORDER BY destination, due_at, sequence LIMIT $3
) AS due,
LATERAL (SELECT * FROM {outbox}_parked AS one
         WHERE one.sequence = due.sequence AND one.destination = due.destination AND one.state = 'waiting'
           AND one.due_at = due.due_at LIMIT 1) AS p
ORDER BY due.due_at, due.sequence

-- name: lock_holders
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

-- name: has_changed
-- Rows beyond $1 or in ranges that had none, an end of the transactions $6, or other open requests than so many ($4) with this
-- sum of their ids ($5).
SELECT EXISTS (SELECT 1 FROM {outbox} WHERE sequence > $1)
    OR EXISTS (SELECT 1 FROM unnest($2::bigint[], $3::bigint[]) AS range (low, high),
                             LATERAL (SELECT 1 FROM {outbox} WHERE sequence BETWEEN low AND high LIMIT 1) AS row)
    OR EXISTS (SELECT 1 FROM unnest($6::bigint[]) AS id WHERE pg_visible_in_snapshot(id::text::xid8, pg_current_snapshot()))
    OR (SELECT count(*) <> $4 OR coalesce(sum(id), 0) <> $5
        FROM (SELECT id FROM {outbox}_request WHERE done_at IS NULL ORDER BY id LIMIT 100) AS open)

-- name: has_news
-- As has_changed, where no number has to be looked for and no request is open: the cheap form of a question that is asked all the time.
SELECT EXISTS (SELECT 1 FROM {outbox} WHERE sequence > $1), EXISTS (SELECT 1 FROM {outbox}_request WHERE done_at IS NULL),
       EXISTS (SELECT 1 FROM unnest($2::bigint[]) AS id WHERE pg_visible_in_snapshot(id::text::xid8, pg_current_snapshot()))
