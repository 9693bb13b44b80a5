-- A retired version stays while the log holds a message that went by it, so that one can tell where that was sent; but no more
-- than 100 of them.
DELETE FROM "{outbox}_route"
WHERE version IN (
  SELECT version FROM "{outbox}_route"
  WHERE is_retired = 1 AND (
    version < ?1 - 100
    OR version < coalesce(
         (SELECT max(version) FROM "{outbox}_route" WHERE from_sequence < (SELECT min(sequence) FROM "{outbox}")),
         iif(EXISTS (SELECT 1 FROM "{outbox}"), 0, ?1)))
  ORDER BY version LIMIT ?2)
