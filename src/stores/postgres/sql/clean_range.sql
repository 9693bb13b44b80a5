SELECT max(sequence) FROM (
  SELECT sequence FROM {outbox} WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $3) AS low
