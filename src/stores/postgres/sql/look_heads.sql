-- The counter is not bound to the snapshot, and is read after it: no visible row that was numbered by it lies above.
SELECT CASE WHEN is_called THEN last_value ELSE 0 END, coalesce((SELECT max(sequence) FROM {outbox}), 0),
       coalesce($1, clock_timestamp()), pg_postmaster_start_time()
FROM {outbox}_number
