-- Answered long enough ago, of the oldest; so a step never goes over more than $2. An open one has no time yet, and stays.
DELETE FROM {outbox}_request
WHERE id = ANY(ARRAY(
  SELECT id FROM (SELECT id, done_at FROM {outbox}_request ORDER BY id LIMIT $2) AS low WHERE done_at < $1))
