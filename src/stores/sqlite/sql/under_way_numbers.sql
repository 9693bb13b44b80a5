SELECT DISTINCT sequence FROM "{outbox}_parked" INDEXED BY "{outbox}_parked_due"
WHERE state = 'waiting' AND owner IS NOT NULL AND sequence < ?1 ORDER BY sequence DESC
