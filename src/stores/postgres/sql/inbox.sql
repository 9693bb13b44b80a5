-- name: see_event
SELECT {schema}makegood_inbox_seen($1, $2, $3, $4, $5)

-- name: has_event
SELECT EXISTS (SELECT 1 FROM {schema}makegood_inbox WHERE consumer = $1 AND source = $2 AND tenant_id = $3 AND event_id = $4)

-- name: inbox_consumers
WITH RECURSIVE c (consumer) AS (
  SELECT min(consumer) FROM {schema}makegood_inbox
  UNION ALL
  SELECT (SELECT min(i.consumer) FROM {schema}makegood_inbox AS i WHERE i.consumer > c.consumer) FROM c WHERE c.consumer IS NOT NULL)
SELECT consumer FROM c WHERE consumer IS NOT NULL

-- name: raise_watermark
-- To the newest of those that will go now: what is younger is remembered, and may still come late.
INSERT INTO {schema}makegood_inbox_watermark (consumer, purged_to)
SELECT $1, max(event_time)
FROM (SELECT event_time FROM {schema}makegood_inbox WHERE consumer = $1 AND event_time < (SELECT coalesce($2, clock_timestamp()) - $3 * interval '1 ms') ORDER BY event_time LIMIT $4) AS oldest
HAVING max(event_time) IS NOT NULL
ON CONFLICT (consumer) DO UPDATE SET purged_to = greatest(makegood_inbox_watermark.purged_to, excluded.purged_to)

-- name: purge_inbox
-- By an array, as keys are purged.
DELETE FROM {schema}makegood_inbox
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {schema}makegood_inbox
  WHERE consumer = $1
    AND event_time <= (SELECT purged_to FROM {schema}makegood_inbox_watermark WHERE consumer = $1)
  ORDER BY event_time LIMIT $2))
RETURNING consumer
