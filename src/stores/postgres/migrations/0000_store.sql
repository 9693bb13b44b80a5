-- name: migration_0000_store
-- What all outboxes of one schema share: which migrations ran, and which database this is.
CREATE TABLE IF NOT EXISTS {schema}makegood_migration (
  outbox     text        NOT NULL,
  number     integer     NOT NULL,
  name       text        NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (outbox, number)
);

-- The server whose messages are sent from here, and which of its databases this is. A higher timeline of it is a standby that
-- took over; everything else is a copy.
CREATE TABLE IF NOT EXISTS {schema}makegood_store (
  id       integer PRIMARY KEY CHECK (id = 1),
  system   bigint  NOT NULL,
  timeline bigint  NOT NULL,
  database bigint            -- Its oid. NULL where it was not asked for yet: whoever takes a lane next records it.
);
ALTER TABLE {schema}makegood_store ADD COLUMN IF NOT EXISTS database bigint;

-- Which nodes are there, and how many outboxes each owns: only for an even share. What a crash or a failover forgets is
-- said again within seconds, so it is worth neither a sync nor a place in the log of changes.
CREATE UNLOGGED TABLE IF NOT EXISTS {schema}makegood_node (
  node    text        PRIMARY KEY,
  lanes   integer     NOT NULL,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE OR REPLACE FUNCTION {schema}makegood_refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Rows of % are immutable; enqueue another message instead.', TG_TABLE_NAME USING ERRCODE = 'MG001';
END $$;

-- A UUID of version 7: what comes later sorts later, so the index over it grows at its end.
CREATE OR REPLACE FUNCTION {schema}makegood_event_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT overlay(lpad(to_hex((date_part('epoch', clock_timestamp()) * 1000)::bigint), 12, '0') PLACING '-' FROM 9 FOR 0)
         || '-7' || substr(gen_random_uuid()::text, 16)
$$;

INSERT INTO {schema}makegood_store (id, system, timeline, database)
SELECT 1, system_identifier, ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint, oid
FROM pg_control_system(), pg_database WHERE datname = current_database()
ON CONFLICT (id) DO NOTHING;
