-- For this transaction only: behind a pooler the session is somebody else's a moment later.
SELECT set_config('jit', 'off', true)
