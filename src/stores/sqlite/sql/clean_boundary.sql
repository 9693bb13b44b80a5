-- Old turns are at the low end, so only the lowest are looked at.
SELECT max(settled), max(turn) FROM (
  SELECT turn, settled, at FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn LIMIT ?2
) WHERE at < ?1
