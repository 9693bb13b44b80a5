-- A turn stays while a row of the log above $4 still gets its time of delivery from it. The last turn always stays.
DELETE FROM {outbox}_turn
WHERE lane = 0 AND turn = ANY(ARRAY(
  SELECT turn FROM {outbox}_turn
  WHERE lane = 0 AND turn >= $3 AND turn <= $1
    AND turn < (SELECT max(turn) FROM {outbox}_turn WHERE lane = 0)
    AND settled < coalesce((SELECT min(sequence) FROM {outbox} WHERE sequence > $4), settled + 1)
  ORDER BY turn LIMIT $2))
