-- No lane needs them any more, and none is given them again.
UPDATE "{outbox}_route" SET is_retired = 1
WHERE version IN (
  SELECT version FROM "{outbox}_route" WHERE version < ?1 AND is_retired = 0 ORDER BY version LIMIT ?2)
