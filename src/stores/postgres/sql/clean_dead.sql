-- A dead delivery that blocks its key stays: only an operator may let the next ones pass.
DELETE FROM {outbox}_parked
WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM {outbox}_parked
  WHERE state = 'dead' AND changed_at < $1 AND NOT blocks LIMIT $2))
RETURNING sequence
