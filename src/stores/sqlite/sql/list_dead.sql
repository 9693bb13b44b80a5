-- Dead letters after (?1, ?2) that pass a filter, in which an empty text and a NULL mean: all. By the index alone.
SELECT p.sequence, p.destination, p.error_code, p.changed_at
FROM "{outbox}_parked" AS p
WHERE p.state IN ('dead', 'quarantined') AND (p.sequence, p.destination) > (?1, ?2)
  AND (?3 = '' OR p.tenant_id = ?3) AND (?4 = '' OR p.destination = ?4) AND (?5 = '' OR p.error_code = ?5)
  AND (?6 = '' OR p.state = ?6) AND (?7 IS NULL OR p.changed_at >= ?7) AND (?8 IS NULL OR p.changed_at < ?8)
ORDER BY p.sequence, p.destination
