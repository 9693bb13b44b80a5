SELECT DISTINCT sequence FROM {outbox}_parked
WHERE state = 'waiting' AND owner IS NOT NULL AND sequence < $1 ORDER BY sequence DESC LIMIT $2
