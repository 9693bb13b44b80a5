DELETE FROM "{outbox}_parked"
WHERE (sequence, destination) IN (
  SELECT sequence, destination FROM "{outbox}_parked" WHERE state = 'done' AND changed_at < ?1 LIMIT ?2)
RETURNING sequence
