-- name: session_settings
-- Our statements are made for their indexes; a plan from when a table was empty must not stay when it is full. Only for speed: a
-- session behind a pooler goes without.
SET jit = off;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET plan_cache_mode = force_generic_plan;

-- name: exchange_settings
-- Behind a pooler for this transaction only ($2), because the session is somebody else's a moment later; otherwise for the
-- session. An owner that freezes between its look and its turn must not keep a taker waiting for longer than this ($1), and a
-- taker must not wait for ever. What is said of the commit holds even if the server's configuration is changed.
SELECT set_config('lock_timeout', '1s', $2), set_config('idle_in_transaction_session_timeout', $1, $2),
       set_config('tcp_user_timeout', $1, $2),
       set_config('synchronous_commit',
                  CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                       ELSE current_setting('synchronous_commit') END, $2)

-- name: read_settings
-- For this transaction only: behind a pooler the session is somebody else's a moment later. One plan that suits every filter and
-- every page would read far too much for most of them. And what operators look at must not take the server's workers from those who
-- serve the business.
SELECT set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('max_parallel_workers_per_gather', '0', true)

-- name: write_settings
-- For this transaction only: behind a pooler the session is somebody else's a moment later.
SELECT set_config('jit', 'off', true), set_config('lock_timeout', '1s', true),
       CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
            THEN set_config('synchronous_commit', 'on', true) END

-- name: wait_for_answers
SET LOCAL idle_in_transaction_session_timeout = '1min'

-- name: examine_server
SELECT current_setting('server_version_num')::int, current_setting('server_version'), pg_is_in_recovery(),
       current_setting('default_transaction_read_only')::boolean, current_setting('synchronous_commit'),
       current_setting('max_prepared_transactions')::int, clock_timestamp(),
       pg_has_role('pg_read_all_stats', 'USAGE'), pg_database_size(current_database())

-- name: examine_sequence
-- More than one number at a time is drawn where somebody has given the sequence a cache.
SELECT seqcache FROM pg_sequence WHERE seqrelid = to_regclass($1)

-- name: oldest_prepared
SELECT gid, prepared FROM pg_prepared_xacts WHERE database = current_database() ORDER BY prepared LIMIT 1
