-- For this transaction only: behind a pooler the session is somebody else's a moment later.
SELECT set_config('jit', 'off', true), set_config('lock_timeout', '1s', true),
       CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
            THEN set_config('synchronous_commit', 'on', true) END
