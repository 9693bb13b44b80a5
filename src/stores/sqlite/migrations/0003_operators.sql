-- name: migration_0003_operators
-- Of a request to configure: what is to change.
ALTER TABLE "{outbox}_request" ADD COLUMN document TEXT NOT NULL DEFAULT '';
-- What was asked about one message.
CREATE INDEX "{outbox}_request_sequence" ON "{outbox}_request" (sequence) WHERE sequence > 0;

-- No lane goes by the version any more; it only tells where messages went.
ALTER TABLE "{outbox}_route" ADD COLUMN is_retired INTEGER NOT NULL DEFAULT 0;

-- Counts, groups and filters of deliveries are answered by these alone, without a look at the rows.
DROP INDEX "{outbox}_parked_due";
CREATE INDEX "{outbox}_parked_due" ON "{outbox}_parked" (destination, due_at, sequence, tenant_id, state, owner)
WHERE state = 'waiting';
DROP INDEX "{outbox}_parked_count";
CREATE INDEX "{outbox}_parked_count" ON "{outbox}_parked" (destination, state, attempts)
WHERE state = 'held' OR (state = 'waiting' AND attempts > 0);
DROP INDEX "{outbox}_parked_dead";
CREATE INDEX "{outbox}_parked_dead"
ON "{outbox}_parked" (sequence, destination, tenant_id, error_code, state, changed_at)
WHERE state IN ('dead', 'quarantined');

-- A message that has left the log is still found by its event.
CREATE INDEX "{outbox}_kept_event" ON "{outbox}_kept" (event_id);

-- name: migration_0003_operators_down
-- What this one added to the tables of the others goes with them.
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 3;
