-- Nothing when somebody else was faster.
INSERT INTO {outbox}_turn (lane, turn, owner, at, lease_until, reached, settled, position, is_taking)
VALUES (0, $1, $2, $3, $3 + $4 * interval '1 microsecond', $5, $6, $7, true)
ON CONFLICT (lane, turn) DO NOTHING RETURNING turn
