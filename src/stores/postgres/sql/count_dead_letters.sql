-- Those that pass a filter. By the index alone, unless the filter names a topic.
SELECT count(*) FROM {outbox}_parked AS p
WHERE p.state IN ('dead', 'quarantined')
  AND ($1 = '' OR p.tenant_id = $1) AND ($2 = '' OR p.destination = $2) AND ($3 = '' OR p.error_code = $3)
  AND ($4 = '' OR p.state = $4) AND ($5 IS NULL OR p.changed_at >= $5) AND ($6 IS NULL OR p.changed_at < $6)
  AND (($7 = '' AND $8 = '') OR EXISTS (
    SELECT 1 FROM (
      SELECT topic FROM {outbox} WHERE sequence = p.sequence
      UNION ALL
      SELECT topic FROM {outbox}_kept WHERE sequence = p.sequence
      LIMIT 1
    ) AS m
    WHERE ($7 = '' OR m.topic LIKE $7) AND ($8 = '' OR NOT starts_with(m.topic, $8))))
