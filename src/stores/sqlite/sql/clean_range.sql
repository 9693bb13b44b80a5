SELECT min(sequence), max(sequence), count(*) FROM (
  SELECT sequence FROM "{outbox}" WHERE sequence <= ?1 ORDER BY sequence LIMIT ?2)
