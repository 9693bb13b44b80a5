-- For this transaction only: behind a pooler the session is somebody else's a moment later. An owner that freezes between its
-- look and its turn must not keep a taker waiting for longer than this ($1), and a taker must not wait for ever.
SELECT set_config('lock_timeout', '1s', true), set_config('idle_in_transaction_session_timeout', $1, true),
       set_config('tcp_user_timeout', $1, true),
       CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
            THEN set_config('synchronous_commit', 'on', true) END
