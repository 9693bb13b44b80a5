-- name: append_routing
INSERT INTO "{outbox}_route" (version, from_sequence, at, owner, document) VALUES (?1, ?2, ?3, ?4, ?5)

-- name: read_routings
SELECT version, from_sequence, document FROM "{outbox}_route" WHERE is_retired <= ?1 ORDER BY version

-- name: retire_routings
-- No lane needs them any more, and none is given them again.
UPDATE "{outbox}_route" SET is_retired = 1
WHERE version IN (
  SELECT version FROM "{outbox}_route" WHERE version < ?1 AND is_retired = 0 ORDER BY version LIMIT ?2)

-- name: clean_routings
-- A retired version stays while the log holds a message that went by it, so that one can tell where that was sent; but no more
-- than 100 of them. Below ?3 the log has been cleaned.
DELETE FROM "{outbox}_route"
WHERE version IN (
  SELECT version FROM "{outbox}_route"
  WHERE is_retired = 1 AND (
    version < ?1 - 100
    OR version < coalesce(
         (SELECT max(version) FROM "{outbox}_route" WHERE from_sequence < (SELECT min(sequence) FROM "{outbox}" WHERE sequence > ?3)),
         iif(EXISTS (SELECT 1 FROM "{outbox}" WHERE sequence > ?3), 0, ?1)))
  ORDER BY version LIMIT ?2)
