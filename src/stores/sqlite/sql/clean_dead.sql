-- A dead delivery that blocks its key stays: only an operator may let the next ones pass.
DELETE FROM "{outbox}_parked"
WHERE (sequence, destination) IN (
  SELECT sequence, destination FROM "{outbox}_parked" WHERE state = 'dead' AND changed_at < ?1 AND blocks = 0 LIMIT ?2)
RETURNING sequence
