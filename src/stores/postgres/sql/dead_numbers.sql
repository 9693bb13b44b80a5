SELECT DISTINCT sequence FROM {outbox}_parked
WHERE state IN ('dead', 'quarantined') AND sequence < $1 AND state = $3 ORDER BY sequence DESC LIMIT $2
