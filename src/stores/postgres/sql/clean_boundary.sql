-- Old turns are at the low end, so only the lowest are looked at; from $3 on, because those before it may be dead and still there.
SELECT max(settled), max(turn), min(turn) FROM (
  SELECT turn, settled, at FROM {outbox}_turn WHERE lane = 0 AND turn >= $3 ORDER BY turn LIMIT $2
) AS low WHERE at < $1
