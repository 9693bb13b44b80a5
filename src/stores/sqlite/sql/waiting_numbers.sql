-- By indexes that hold these alone: there may be far more of those that have ended.
SELECT sequence FROM "{outbox}_parked" INDEXED BY "{outbox}_parked_due" WHERE state = 'waiting' AND sequence < ?1
UNION
SELECT sequence FROM "{outbox}_parked" INDEXED BY "{outbox}_parked_count" WHERE state = 'held' AND sequence < ?1
ORDER BY sequence DESC
