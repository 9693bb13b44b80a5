SELECT destination, count(*) FROM {outbox}_parked
WHERE state = 'held' OR (state = 'waiting' AND attempts > 0) GROUP BY destination
