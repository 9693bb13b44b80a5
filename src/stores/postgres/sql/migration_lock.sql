-- One migration at a time in this database, of whatever outbox; in exchange one waits for longer than elsewhere.
SELECT set_config('lock_timeout', '1min', true), pg_advisory_xact_lock(hashtextextended('makegood migration', 0))::text
