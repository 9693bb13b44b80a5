-- A retired version stays while the log holds a message that went by it, so that one can tell where that was sent; but no more
-- than 100 of them. Below $3 the log has been cleaned.
DELETE FROM {outbox}_route
WHERE version IN (
  SELECT version FROM {outbox}_route
  WHERE is_retired AND (
    version < $1 - 100
    OR version < coalesce(
         (SELECT max(version) FROM {outbox}_route WHERE from_sequence < (SELECT min(sequence) FROM {outbox} WHERE sequence > $3)),
         CASE WHEN EXISTS (SELECT 1 FROM {outbox} WHERE sequence > $3) THEN 0 ELSE $1 END))
  ORDER BY version LIMIT $2)
