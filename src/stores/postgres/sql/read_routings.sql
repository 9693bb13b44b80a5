-- $1: also those that no lane goes by any more.
SELECT version, from_sequence, document FROM {outbox}_route WHERE $1 OR NOT is_retired ORDER BY version
