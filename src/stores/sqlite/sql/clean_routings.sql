-- A version stays while the log holds a message that goes by it, so that one can still tell where that was sent; but no more
-- than the newest 100 of those that no lane needs.
DELETE FROM "{outbox}_route"
WHERE version IN (
  SELECT version FROM "{outbox}_route"
  WHERE version < ?1 AND (
    version < ?1 - 100
    OR version < coalesce(
         (SELECT max(version) FROM "{outbox}_route" WHERE from_sequence < (SELECT min(sequence) FROM "{outbox}")),
         iif(EXISTS (SELECT 1 FROM "{outbox}"), 0, ?1)))
  ORDER BY version LIMIT ?2)
