-- name: migration_0010_traits
-- What tells this file from a copy, beside the inode: a fresh volume gives its first files the same numbers. All outboxes of the file
-- share it. What is NULL was not known yet, and is not compared: whoever owns a lane next records it.
CREATE TABLE IF NOT EXISTS makegood_store_traits (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  birth       INTEGER,  -- Of the file, in nanoseconds since 1970.
  machine     TEXT,     -- A digest of the machine's id; not from a container.
  environment TEXT      -- The name of where it belongs, store.environment.
) STRICT;

-- name: migration_0010_traits_down
-- The table stays, as makegood_store does: it belongs to all outboxes of the file.
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 10;
