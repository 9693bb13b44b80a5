-- name: source_migration_0001_sources
-- What is read from brokers into the log, and up to where. One row per partition, which changes with each batch: broker and log go on
-- together or not at all.
CREATE TABLE {outbox}_source (
  name       text        NOT NULL,
  document   text        NOT NULL,
  is_paused  boolean     NOT NULL DEFAULT false,
  version    bigint      NOT NULL DEFAULT 1,
  code       text        NOT NULL DEFAULT '',
  trouble    text        NOT NULL DEFAULT '',
  trouble_at timestamptz,
  CONSTRAINT {name}_source_pkey PRIMARY KEY (name)
);

-- Room in the page for the next versions of its few rows, none of whose indexed columns ever change.
CREATE TABLE {outbox}_source_place (
  source     text        NOT NULL,
  partition  text        NOT NULL,
  next       text        NOT NULL,
  taken      bigint      NOT NULL,
  behind     bigint      NOT NULL,
  changed_at timestamptz NOT NULL,
  CONSTRAINT {name}_source_place_pkey PRIMARY KEY (source, partition)
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- name: source_migration_0001_sources_down
DROP TABLE IF EXISTS {outbox}_source_place;
DROP TABLE IF EXISTS {outbox}_source;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} || '_source' AND number = 1;
