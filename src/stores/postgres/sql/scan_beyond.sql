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
            SELECT p.state <> 'done' FROM {outbox}_parked AS p
            WHERE p.sequence = m.sequence AND p.destination = $7 LIMIT 1), false) END
   FROM {outbox} AS m WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $6)
)
SELECT sequence, tenant_id, topic, dispatch_key, priority, is_left_out,
       CASE WHEN $8 AND dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
FROM found
