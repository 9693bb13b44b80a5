SELECT destination, count(*), count(owner), min(sequence) FROM {outbox}_parked WHERE state = 'waiting'
GROUP BY destination
