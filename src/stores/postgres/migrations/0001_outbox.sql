-- name: migration_0001_outbox
-- The log. Rows are never changed; the cleaner removes them when they have been delivered long enough.
-- The number is drawn one by one (a cache would give a session numbers in advance, and order with it). COPY can write numbers of
-- its own nevertheless: a look that meets one above the counter refuses to go on.
CREATE TABLE {outbox} (
  sequence     bigint      GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME {outbox}_number CACHE 1) PRIMARY KEY,
  event_id     text        NOT NULL DEFAULT {schema}makegood_event_id(),
  tenant_id    text        NOT NULL DEFAULT 'default',
  topic        text        NOT NULL,
  dispatch_key text,
  priority     integer     NOT NULL DEFAULT 0,
  payload      json,
  body         bytea,
  content_type text,
  headers      json,
  envelope_id  text,
  traceparent  text,
  tracestate   text,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  available_at timestamptz,
  expires_at   timestamptz,
  CONSTRAINT {name}_event UNIQUE (tenant_id, event_id),
  CONSTRAINT topic_has_1_to_255_characters CHECK (length(topic) BETWEEN 1 AND 255),
  CONSTRAINT exactly_one_of_payload_and_body CHECK ((payload IS NULL) <> (body IS NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000,
        autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05);

-- Costs an INSERT nothing.
CREATE TRIGGER makegood_immutable BEFORE UPDATE ON {outbox}
FOR EACH STATEMENT EXECUTE FUNCTION {schema}makegood_refuse_update();

-- What the lane's owners have said, one row per exchange; the last row holds the truth.
CREATE TABLE {outbox}_turn (
  lane        integer     NOT NULL,
  turn        bigint      NOT NULL,
  owner       text        NOT NULL,
  at          timestamptz NOT NULL,
  lease_until timestamptz NOT NULL,
  reached     bigint      NOT NULL,
  settled     bigint      NOT NULL,
  position    json        NOT NULL,
  is_taking   boolean     NOT NULL DEFAULT false,  -- Whether it is the one with which its owner took the lane.
  CONSTRAINT {name}_turn_pkey PRIMARY KEY (lane, turn)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
-- When a message was delivered: at the first turn that had settled it.
CREATE INDEX {name}_turn_settled ON {outbox}_turn (lane, settled, turn);

-- Deliveries that are exceptions.
CREATE TABLE {outbox}_parked (
  sequence     bigint      NOT NULL,
  destination  text        NOT NULL,
  tenant_id    text        NOT NULL,
  dispatch_key text        NOT NULL,
  slot         integer     NOT NULL,
  state        text        NOT NULL CHECK (state IN ('waiting', 'held', 'dead', 'quarantined', 'done')),
  blocks       boolean     NOT NULL,
  attempts     bigint      NOT NULL,
  deaths       bigint      NOT NULL,  -- How many owners died while an attempt at it was under way.
  due_at       timestamptz NOT NULL,
  owner        text,
  error_code   text        NOT NULL,
  last_error   text        NOT NULL,
  story        jsonb       NOT NULL,
  parked_at    timestamptz NOT NULL,
  changed_at   timestamptz NOT NULL,
  CONSTRAINT {name}_parked_pkey PRIMARY KEY (sequence, destination)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
-- With all that is needed to pass over the deliveries of a tenant without reading their rows.
CREATE INDEX {name}_parked_due ON {outbox}_parked (destination, due_at, sequence, tenant_id, owner)
WHERE state = 'waiting';
CREATE INDEX {name}_parked_blocks ON {outbox}_parked (tenant_id, dispatch_key, destination, sequence) WHERE blocks;
-- What counts against the bound of its destination: neither delayed nor dead ones do.
CREATE INDEX {name}_parked_count ON {outbox}_parked (destination, state, attempts, sequence)
WHERE state = 'held' OR (state = 'waiting' AND attempts > 0);
CREATE INDEX {name}_parked_dead ON {outbox}_parked (sequence, destination, tenant_id, error_code, state, changed_at)
WHERE state IN ('dead', 'quarantined');
CREATE INDEX {name}_parked_ended ON {outbox}_parked (state, changed_at) WHERE state = 'done' OR state = 'dead';

-- What operators have asked for.
CREATE TABLE {outbox}_request (
  id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text        NOT NULL,
  sequence    bigint      NOT NULL,
  destination text        NOT NULL,
  operator    text        NOT NULL,
  reason      text        NOT NULL,
  tenant_id   text        NOT NULL DEFAULT '',
  until       bigint      NOT NULL DEFAULT 0,
  document    text        NOT NULL DEFAULT '',  -- Of a request to configure: what is to change.
  created_at  timestamptz NOT NULL,
  done_at     timestamptz,
  result      text
);
CREATE INDEX {name}_request_open ON {outbox}_request (id) WHERE done_at IS NULL;
-- What was asked about one message.
CREATE INDEX {name}_request_sequence ON {outbox}_request (sequence) WHERE sequence > 0;

-- Messages that were cleaned from the log while a parked delivery still needs them.
CREATE TABLE {outbox}_kept (
  sequence     bigint      PRIMARY KEY,
  event_id     text        NOT NULL,
  tenant_id    text        NOT NULL,
  topic        text        NOT NULL,
  dispatch_key text,
  priority     integer     NOT NULL,
  payload      json,
  body         bytea,
  content_type text,
  headers      json,
  envelope_id  text,
  traceparent  text,
  tracestate   text,
  created_at   timestamptz NOT NULL,
  available_at timestamptz,
  expires_at   timestamptz
);
CREATE INDEX {name}_kept_event ON {outbox}_kept (event_id);

-- Where topics led, by version. A version counts for the numbers above from_sequence, until the next one does.
CREATE TABLE {outbox}_route (
  version       bigint      PRIMARY KEY,
  from_sequence bigint      NOT NULL,
  at            timestamptz NOT NULL,
  owner         text        NOT NULL,
  document      json        NOT NULL,
  is_retired    boolean     NOT NULL DEFAULT false  -- No lane goes by it any more; it only tells where messages went.
);

-- name: migration_0001_outbox_down
DROP VIEW IF EXISTS {outbox}_status_003;
DROP VIEW IF EXISTS {outbox}_status;
DROP TABLE IF EXISTS {outbox}_route;
DROP TABLE IF EXISTS {outbox}_kept;
DROP TABLE IF EXISTS {outbox}_request;
DROP TABLE IF EXISTS {outbox}_parked;
DROP TABLE IF EXISTS {outbox}_turn;
DROP TABLE IF EXISTS {outbox};
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 1;
