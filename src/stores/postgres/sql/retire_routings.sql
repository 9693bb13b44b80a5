-- No lane needs them any more, and none is given them again.
UPDATE {outbox}_route SET is_retired = true
WHERE version IN (
  SELECT version FROM {outbox}_route WHERE version < $1 AND NOT is_retired ORDER BY version LIMIT $2)
