SELECT destination, state, count(*) FROM {outbox}_parked WHERE state IN ('dead', 'quarantined')
GROUP BY destination, state
