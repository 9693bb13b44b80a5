-- name: migration_0002_side_lanes
-- Whether the turn is the one with which its owner took the lane.
ALTER TABLE "{outbox}_turn" ADD COLUMN is_taking INTEGER NOT NULL DEFAULT 0;

-- How many owners died while an attempt at the delivery was under way.
ALTER TABLE "{outbox}_parked" ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
-- With all that is needed to pass over the deliveries of a tenant without reading their rows.
DROP INDEX "{outbox}_parked_due";
CREATE INDEX "{outbox}_parked_due" ON "{outbox}_parked" (destination, due_at, sequence, tenant_id, state)
WHERE state = 'waiting';
-- What counts against the bound of its destination: neither delayed nor dead ones do.
CREATE INDEX "{outbox}_parked_count" ON "{outbox}_parked" (destination)
WHERE state = 'held' OR (state = 'waiting' AND attempts > 0);

ALTER TABLE "{outbox}_request" ADD COLUMN tenant_id TEXT NOT NULL DEFAULT '';
ALTER TABLE "{outbox}_request" ADD COLUMN until INTEGER NOT NULL DEFAULT 0;

-- Where topics led, by version. A version counts for the numbers above from_sequence, until the next one does.
CREATE TABLE "{outbox}_route" (
  version       INTEGER PRIMARY KEY,
  from_sequence INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  owner         TEXT    NOT NULL,
  document      TEXT    NOT NULL
) STRICT;

-- name: migration_0002_side_lanes_down
-- Migrations are only taken back all together: what this one added to the tables of the first goes with them.
DROP VIEW IF EXISTS "{outbox}_status_003";
DROP VIEW IF EXISTS "{outbox}_status";
DROP TABLE IF EXISTS "{outbox}_route";
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 2;
