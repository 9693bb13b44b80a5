DELETE FROM {outbox}_parked
WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM {outbox}_parked WHERE state = 'done' AND changed_at < $1 LIMIT $2))
RETURNING sequence
