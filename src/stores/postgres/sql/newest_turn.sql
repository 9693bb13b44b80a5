SELECT turn, owner, at, lease_until, position FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1
