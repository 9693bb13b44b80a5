-- Behind a pooler for this transaction only ($2), because the session is somebody else's a moment later; otherwise for the
-- session. An owner that freezes between its look and its turn must not keep a taker waiting for longer than this ($1), and a
-- taker must not wait for ever. What is said of the commit holds even if the server's configuration is changed.
SELECT set_config('lock_timeout', '1s', $2), set_config('idle_in_transaction_session_timeout', $1, $2),
       set_config('tcp_user_timeout', $1, $2),
       set_config('synchronous_commit',
                  CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                       ELSE current_setting('synchronous_commit') END, $2)
