SELECT created_at, available_at FROM "{outbox}" WHERE sequence = ?1
UNION ALL
SELECT created_at, available_at FROM "{outbox}_kept" WHERE sequence = ?1
LIMIT 1
