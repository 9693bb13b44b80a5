-- Whoever enqueues for the same key waits here until the other's transaction has ended, and draws its number after it.
SELECT pg_advisory_xact_lock(hashtextextended($1 || chr(31) || $2, hashtext({text})))::text
