-- name: create_barrier
-- Two that create it at once would break each other.
SELECT pg_advisory_xact_lock(hashtext('makegood.saga_barrier'));
CREATE TABLE IF NOT EXISTS saga_barrier (
  tenant    TEXT NOT NULL,
  execution TEXT NOT NULL,
  step      TEXT NOT NULL,
  round     INTEGER NOT NULL,
  state     TEXT NOT NULL,
  answer    TEXT,
  PRIMARY KEY (tenant, execution, step, round)
)

-- name: claim_rounds
-- Ascending, so that two of them cannot wait for each other.
WITH RECURSIVE rounds (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rounds WHERE n < $4)
INSERT INTO saga_barrier (tenant, execution, step, round, state)
SELECT $1, $2, $3, n, 'refused' FROM rounds WHERE true ORDER BY n
ON CONFLICT DO NOTHING
RETURNING round

-- name: find_round
SELECT state, answer FROM saga_barrier WHERE tenant = $1 AND execution = $2 AND step = $3 AND round = $4

-- name: keep_round
UPDATE saga_barrier SET state = $5, answer = $6 WHERE tenant = $1 AND execution = $2 AND step = $3 AND round = $4

-- name: undo_rounds
UPDATE saga_barrier SET state = 'undone'
WHERE tenant = $1 AND execution = $2 AND step = $3 AND round <= $4 AND state = 'done'
RETURNING answer

-- name: before_effect
SAVEPOINT makegood_effect

-- name: take_effect_back
ROLLBACK TO SAVEPOINT makegood_effect

-- name: after_effect
RELEASE SAVEPOINT makegood_effect
