SELECT turn, owner, at, position FROM {outbox}_turn WHERE lane = 0 AND turn >= $1 ORDER BY turn LIMIT 1
