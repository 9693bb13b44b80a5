-- name: read_wake_up
-- The channel and the lock of the relay's sleep, if the team wants it to be woken up.
SELECT 'makegood_' || t.tgrelid, (1835755364::bigint << 32) | t.tgrelid::bigint
FROM pg_trigger AS t WHERE t.tgrelid = $1::regclass AND t.tgname = 'makegood_wake_up' AND t.tgenabled <> 'D'

-- name: fall_asleep
SELECT pg_try_advisory_lock($1)

-- name: wake_up
SELECT pg_advisory_unlock($1)
