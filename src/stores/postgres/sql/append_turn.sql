-- Right after the remembered turn ($1) of the same owner ($2), or not at all: without it the number would be NULL, which is
-- refused, and so is a number that somebody else has taken. Time does not run backwards, unless the last turn was far ahead of it.
INSERT INTO {outbox}_turn (lane, turn, owner, at, lease_until, reached, settled, position)
SELECT 0, last.turn + 1, $2, clock.at, clock.at + $4 * interval '1 microsecond', $5, $6, $7
FROM (SELECT coalesce($3, clock_timestamp()) AS here) AS server
LEFT JOIN (SELECT turn, owner, at FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1) AS last
  ON last.turn = $1 AND last.owner = $2,
LATERAL (SELECT CASE WHEN last.at BETWEEN here AND here + interval '1 minute' THEN last.at ELSE here END AS at) AS clock
RETURNING turn, at
