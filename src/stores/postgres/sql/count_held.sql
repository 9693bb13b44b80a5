SELECT destination, count(*), min(sequence) FROM {outbox}_parked WHERE state = 'held' GROUP BY destination
