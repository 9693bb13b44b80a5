-- The largest $9 groups of those that pass a filter, each with its newest as an example.
WITH grouped AS (
  SELECT coalesce(m.topic, '') COLLATE "C" AS topic, p.destination COLLATE "C" AS destination,
         p.error_code COLLATE "C" AS error_code, count(*) AS count,
         min(p.changed_at) AS first_at, max(p.changed_at) AS last_at, max(p.sequence) AS example
  FROM {outbox}_parked AS p
  LEFT JOIN LATERAL (
    SELECT topic FROM {outbox} WHERE sequence = p.sequence
    UNION ALL
    SELECT topic FROM {outbox}_kept WHERE sequence = p.sequence
    LIMIT 1
  ) AS m ON true
  WHERE p.state IN ('dead', 'quarantined')
    AND ($1 = '' OR p.tenant_id = $1) AND ($2 = '' OR p.destination = $2) AND ($3 = '' OR p.error_code = $3)
    AND ($4 = '' OR p.state = $4) AND ($5 IS NULL OR p.changed_at >= $5) AND ($6 IS NULL OR p.changed_at < $6)
    AND ($7 = '' OR coalesce(m.topic, '') LIKE $7) AND ($8 = '' OR NOT starts_with(coalesce(m.topic, ''), $8))
  GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT $9
)
SELECT g.topic, g.destination, g.error_code, g.count, g.first_at, g.last_at, g.example, p.last_error
FROM grouped AS g JOIN {outbox}_parked AS p ON p.sequence = g.example AND p.destination = g.destination
ORDER BY g.count DESC, g.topic, g.destination, g.error_code
