SELECT coalesce($1, clock_timestamp()), last.turn, last.owner, last.at, last.lease_until, last.position
FROM (VALUES (1)) AS one
LEFT JOIN (SELECT turn, owner, at, lease_until, position FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1) AS last
  ON true
