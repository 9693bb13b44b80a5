-- name: saga_migration_0001_sagas
-- What is kept beside a log of requests for sagas. An execution is named by the number of its start in the log.
--
-- The journal: one row per execution and turn, never changed.
CREATE TABLE {outbox}_journal (
  execution bigint NOT NULL,
  revision  bigint NOT NULL,
  records   bytea  NOT NULL,
  CONSTRAINT {name}_journal_pkey PRIMARY KEY (execution, revision)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05);

-- What has ended, and how. An execution that goes well pays for no index but this key.
CREATE TABLE {outbox}_end (
  execution  bigint      NOT NULL,
  tenant_id  text        NOT NULL,
  id         text        NOT NULL,
  definition text        NOT NULL,
  version    bigint      NOT NULL,
  state      text        NOT NULL CHECK (state IN ('completed', 'compensated', 'failed', 'cancelled')),
  step       text        NOT NULL,
  code       text        NOT NULL,
  error      text        NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at   timestamptz NOT NULL,
  revision   bigint      NOT NULL,
  output     text        NOT NULL,
  open       text        NOT NULL,
  CONSTRAINT {name}_end_pkey PRIMARY KEY (execution)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX {name}_end_state ON {outbox}_end (state, execution, definition) WHERE state <> 'completed';

-- What waits for longer than a moment, and is not in memory. Without a due time only a request goes on with it.
CREATE TABLE {outbox}_waiting (
  execution  bigint      NOT NULL,
  tenant_id  text        NOT NULL,
  id         text        NOT NULL,
  definition text        NOT NULL,
  version    bigint      NOT NULL,
  state      text        NOT NULL CHECK (state IN ('pending', 'running', 'waiting', 'paused', 'manual', 'compensating')),
  waits_for  text        NOT NULL,
  step       text        NOT NULL,
  code       text        NOT NULL,
  error      text        NOT NULL,
  started_at timestamptz NOT NULL,
  due_at     timestamptz,
  CONSTRAINT {name}_waiting_pkey PRIMARY KEY (execution)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
CREATE INDEX {name}_waiting_due ON {outbox}_waiting (due_at, execution) WHERE due_at IS NOT NULL;

CREATE TABLE {outbox}_definition (
  name       text        NOT NULL,
  version    bigint      NOT NULL,
  document   text        NOT NULL,
  source     text        NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT {name}_definition_pkey PRIMARY KEY (name, version)
);

-- What signs the addresses that participants call back: one row, drawn here, the same for everybody who works on this log. Two UUIDs
-- of version 4 have 244 bits of the server's strong chance.
CREATE TABLE {outbox}_secret (
  callback_key text NOT NULL
);
INSERT INTO {outbox}_secret (callback_key)
VALUES (replace(pg_catalog.gen_random_uuid()::text || pg_catalog.gen_random_uuid()::text, '-', ''));

-- A start that is read and waits counts as settled for the log; it is still needed. Once per statement, as the other trigger.
CREATE OR REPLACE FUNCTION {schema}makegood_refuse_delete_of_waiting() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  needed bigint;
BEGIN
  EXECUTE format('SELECT min(gone.sequence) FROM gone JOIN %I.%I AS w ON w.execution = gone.sequence',
                 TG_TABLE_SCHEMA, TG_TABLE_NAME || '_waiting')
  INTO needed;
  IF needed IS NOT NULL THEN
    RAISE EXCEPTION 'Start % in % cannot be deleted, its execution waits; cancel the execution.', needed, TG_TABLE_NAME
      USING ERRCODE = 'MG002';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER makegood_waits AFTER DELETE ON {outbox} REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION {schema}makegood_refuse_delete_of_waiting();

-- Starts an execution in the caller's transaction, and answers its id. The same id with the same input again is the first
-- execution; with another input it is refused. Executions of one tenant and key run one after the other.
CREATE FUNCTION {outbox}_start(
  definition text, input json DEFAULT json_build_object(), id text DEFAULT NULL, tenant_id text DEFAULT 'default', key text DEFAULT NULL,
  headers json DEFAULT NULL, traceparent text DEFAULT NULL, tracestate text DEFAULT NULL
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  execution text := coalesce(id, {schema}makegood_event_id());
  is_same   boolean;
BEGIN
  IF definition LIKE 'makegood.%' THEN
    RAISE EXCEPTION 'A definition is not called makegood.*; such names are kept for requests.' USING ERRCODE = 'MG003';
  END IF;
  INSERT INTO {outbox} AS m (topic, payload, event_id, tenant_id, dispatch_key, headers, traceparent, tracestate)
  VALUES (definition, input, execution, tenant_id, nullif(key, ''), headers, traceparent, tracestate)
  ON CONFLICT ON CONSTRAINT {name}_event DO NOTHING;
  IF FOUND THEN
    RETURN execution;
  END IF;
  SELECT m.topic = definition AND coalesce(m.dispatch_key, '') = coalesce(key, '')
         AND m.payload::text IS NOT DISTINCT FROM input::text
    INTO is_same FROM {outbox} AS m WHERE m.tenant_id = tenant_id AND m.event_id = execution;
  IF is_same IS NULL THEN
    RAISE EXCEPTION 'The execution was there, and was removed at the same moment; try again.' USING ERRCODE = '40001';
  ELSIF NOT is_same THEN
    RAISE EXCEPTION 'The execution % is there already, of another definition, input or key.', execution USING ERRCODE = 'MG003';
  END IF;
  RETURN execution;
END $$;

-- The same under one name for all logs of sagas of this database, where the schema makegood is there; see the outbox's own.
DO $do$
BEGIN
  IF to_regnamespace('makegood') IS NULL OR NOT has_schema_privilege('makegood', 'USAGE')
     OR NOT has_schema_privilege('makegood', 'CREATE') OR to_regproc('makegood.start_saga') IS NOT NULL THEN
    RETURN;
  END IF;
  CREATE FUNCTION makegood.start_saga(
    definition text, input json DEFAULT json_build_object(), id text DEFAULT NULL, tenant_id text DEFAULT 'default', key text DEFAULT NULL,
    headers json DEFAULT NULL, traceparent text DEFAULT NULL, tracestate text DEFAULT NULL, log text DEFAULT 'makegood_saga'
  ) RETURNS text LANGUAGE plpgsql AS $body$
  DECLARE
    execution text;
  BEGIN
    EXECUTE 'SELECT ' || makegood.function_of(log, '_start') || '($1, $2, $3, $4, $5, $6, $7, $8)'
      INTO execution USING definition, input, id, tenant_id, key, headers, traceparent, tracestate;
    RETURN execution;
  END $body$;
END $do$;

-- name: saga_migration_0001_sagas_down
-- The schema makegood and the function of the trigger stay: other logs use them.
DROP TRIGGER IF EXISTS makegood_waits ON {outbox};
DROP FUNCTION IF EXISTS {outbox}_start;
DROP TABLE IF EXISTS {outbox}_secret;
DROP TABLE IF EXISTS {outbox}_definition;
DROP TABLE IF EXISTS {outbox}_waiting;
DROP TABLE IF EXISTS {outbox}_end;
DROP TABLE IF EXISTS {outbox}_journal;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} || '_journal' AND number = 1;
