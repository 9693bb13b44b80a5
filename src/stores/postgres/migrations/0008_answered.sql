-- name: migration_0008_answered
-- How many of the attempts were answered, which is what counts against the limit. Until now all of them did; one that is under way
-- was counted before it was sent.
ALTER TABLE {outbox}_parked ADD COLUMN answered bigint NOT NULL DEFAULT 0;
UPDATE {outbox}_parked SET answered = greatest(attempts - (owner IS NOT NULL)::int, 0) WHERE attempts > 0;

-- name: migration_0008_answered_down
-- The column stays, and goes with its table.
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 8;
