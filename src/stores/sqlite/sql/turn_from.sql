SELECT turn, owner, at, position FROM "{outbox}_turn"
WHERE lane = 0 AND turn >= ?1 AND position <> '' ORDER BY turn LIMIT 1
