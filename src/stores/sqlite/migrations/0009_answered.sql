-- name: migration_0009_answered
-- How many of the attempts were answered, which is what counts against the limit. Until now all of them did; one that is under way
-- was counted before it was sent.
ALTER TABLE "{outbox}_parked" ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
UPDATE "{outbox}_parked" SET answered = max(attempts - (owner IS NOT NULL), 0) WHERE attempts > 0;

-- name: migration_0009_answered_down
-- The column stays, and goes with its table.
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 9;
