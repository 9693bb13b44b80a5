-- name: append_routing
INSERT INTO {outbox}_route (version, from_sequence, at, owner, document)
SELECT $1, $2, at, $3, $4 FROM {outbox}_turn WHERE lane = $5 ORDER BY turn DESC LIMIT 1

-- name: read_routings
-- $1: also those that no lane goes by any more.
SELECT version, from_sequence, document FROM {outbox}_route WHERE $1 OR NOT is_retired ORDER BY version

-- name: retire_routings
-- No lane needs them any more, and none is given them again.
UPDATE {outbox}_route SET is_retired = true
WHERE version IN (
  SELECT version FROM {outbox}_route WHERE version < $1 AND NOT is_retired ORDER BY version LIMIT $2)

-- name: clean_routings
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
