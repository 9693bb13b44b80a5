SELECT DISTINCT sequence FROM {outbox}_parked
WHERE state IN ('waiting', 'held') AND sequence < $1 ORDER BY sequence DESC LIMIT $2
