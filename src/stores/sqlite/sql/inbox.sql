-- name: see_event
-- One statement: nobody can purge in between.
INSERT INTO makegood_inbox (consumer, source, tenant_id, event_id, event_time)
SELECT ?1, ?2, ?3, ?4, ?5
WHERE NOT EXISTS (SELECT 1 FROM makegood_inbox_watermark WHERE consumer = ?1 AND purged_to >= ?5)
ON CONFLICT DO NOTHING
RETURNING 'fresh'

-- name: has_event
SELECT EXISTS (SELECT 1 FROM makegood_inbox WHERE consumer = ?1 AND source = ?2 AND tenant_id = ?3 AND event_id = ?4)

-- name: inbox_consumers
WITH RECURSIVE c (consumer) AS (
  SELECT min(consumer) FROM makegood_inbox
  UNION ALL
  SELECT (SELECT min(i.consumer) FROM makegood_inbox AS i WHERE i.consumer > c.consumer) FROM c WHERE c.consumer IS NOT NULL)
SELECT consumer FROM c WHERE consumer IS NOT NULL

-- name: raise_watermark
-- To the newest of those that will go now: what is younger is remembered, and may still come late.
INSERT INTO makegood_inbox_watermark (consumer, purged_to)
SELECT ?1, max(event_time)
FROM (SELECT event_time FROM makegood_inbox WHERE consumer = ?1 AND event_time < ?2 - ?3 ORDER BY event_time LIMIT ?4) AS oldest
HAVING max(event_time) IS NOT NULL
ON CONFLICT (consumer) DO UPDATE SET purged_to = max(makegood_inbox_watermark.purged_to, excluded.purged_to)

-- name: purge_inbox
DELETE FROM makegood_inbox
WHERE (consumer, source, tenant_id, event_id) IN (
  SELECT consumer, source, tenant_id, event_id FROM makegood_inbox
  WHERE consumer = ?1
    AND event_time <= (SELECT purged_to FROM makegood_inbox_watermark WHERE consumer = ?1)
  ORDER BY event_time LIMIT ?2)
RETURNING consumer
