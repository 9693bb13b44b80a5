-- The first turn that had settled it; where something before it has not ended yet, the last turn.
SELECT coalesce(
  (SELECT at FROM {outbox}_turn WHERE lane = 0 AND settled >= wanted.sequence ORDER BY settled, turn LIMIT 1),
  (SELECT at FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1))
FROM unnest($1) WITH ORDINALITY AS wanted (sequence, place) ORDER BY wanted.place
