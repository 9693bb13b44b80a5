DELETE FROM "{outbox}_kept"
WHERE sequence = ?1 AND NOT EXISTS (SELECT 1 FROM "{outbox}_parked" AS p WHERE p.sequence = ?1)
