-- Right after the remembered turn, or not at all. Time does not run backwards, unless the last turn was far ahead of it.
INSERT INTO "{outbox}_turn" (lane, turn, owner, at, lease_until, locked, reached, settled, position)
SELECT 0, turn + 1, owner, clock, clock + ?4, ?5, ?6, ?7, ?8
FROM (SELECT turn, owner, CASE WHEN at BETWEEN ?3 AND ?3 + 60000 THEN at ELSE ?3 END AS clock
      FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1)
WHERE turn = ?1 AND owner = ?2
RETURNING turn, at
