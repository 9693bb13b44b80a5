--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: makegood; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA makegood;


--
-- Name: enqueue(text, json, bytea, text, text, text, integer, text, json, text, text, text, timestamp with time zone, timestamp with time zone, boolean, text); Type: FUNCTION; Schema: makegood; Owner: -
--

CREATE FUNCTION makegood.enqueue(topic text, payload json DEFAULT NULL::json, body bytea DEFAULT NULL::bytea, event_id text DEFAULT NULL::text, tenant_id text DEFAULT 'default'::text, dispatch_key text DEFAULT NULL::text, priority integer DEFAULT 0, content_type text DEFAULT NULL::text, headers json DEFAULT NULL::json, envelope_id text DEFAULT NULL::text, traceparent text DEFAULT NULL::text, tracestate text DEFAULT NULL::text, available_at timestamp with time zone DEFAULT NULL::timestamp with time zone, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, ordered boolean DEFAULT false, outbox text DEFAULT 'makegood_outbox'::text, OUT sequence bigint, OUT was_there boolean) RETURNS record
    LANGUAGE plpgsql
    AS $_$
  BEGIN
    EXECUTE 'SELECT * FROM ' || makegood.function_of(outbox, '_enqueue')
            || '($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)'
      INTO sequence, was_there
      USING topic, payload, body, event_id, tenant_id, dispatch_key, priority, content_type, headers, envelope_id, traceparent,
            tracestate, available_at, expires_at, ordered;
  END $_$;


--
-- Name: enqueue_all(json, boolean, text); Type: FUNCTION; Schema: makegood; Owner: -
--

CREATE FUNCTION makegood.enqueue_all(messages json, ordered boolean DEFAULT false, outbox text DEFAULT 'makegood_outbox'::text) RETURNS TABLE(sequence bigint, was_there boolean)
    LANGUAGE plpgsql
    AS $_$
  BEGIN
    RETURN QUERY EXECUTE 'SELECT * FROM ' || makegood.function_of(outbox, '_enqueue_all') || '($1, $2)' USING messages, ordered;
  END $_$;


--
-- Name: function_of(text, text); Type: FUNCTION; Schema: makegood; Owner: -
--

CREATE FUNCTION makegood.function_of(outbox text, suffix text) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
  DECLARE
    parts text[] := parse_ident(outbox);
  BEGIN
    IF cardinality(parts) = 1 THEN
      RETURN quote_ident(parts[1] || suffix);
    END IF;
    RETURN quote_ident(parts[1]) || '.' || quote_ident(parts[2] || suffix);
  END $$;


--
-- Name: start_saga(text, json, text, text, text, json, text, text, text); Type: FUNCTION; Schema: makegood; Owner: -
--

CREATE FUNCTION makegood.start_saga(definition text, input json DEFAULT json_build_object(), id text DEFAULT NULL::text, tenant_id text DEFAULT 'default'::text, key text DEFAULT NULL::text, headers json DEFAULT NULL::json, traceparent text DEFAULT NULL::text, tracestate text DEFAULT NULL::text, log text DEFAULT 'makegood_saga'::text) RETURNS text
    LANGUAGE plpgsql
    AS $_$
  DECLARE
    execution text;
  BEGIN
    EXECUTE 'SELECT ' || makegood.function_of(log, '_start') || '($1, $2, $3, $4, $5, $6, $7, $8)'
      INTO execution USING definition, input, id, tenant_id, key, headers, traceparent, tracestate;
    RETURN execution;
  END $_$;


--
-- Name: makegood_event_id(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_event_id() RETURNS text
    LANGUAGE sql
    AS $$
  SELECT overlay(lpad(to_hex((date_part('epoch', clock_timestamp()) * 1000)::bigint), 12, '0') PLACING '-' FROM 9 FOR 0)
         || '-7' || substr(gen_random_uuid()::text, 16)
$$;


--
-- Name: makegood_outbox_enqueue(text, json, bytea, text, text, text, integer, text, json, text, text, text, timestamp with time zone, timestamp with time zone, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_outbox_enqueue(topic text, payload json DEFAULT NULL::json, body bytea DEFAULT NULL::bytea, event_id text DEFAULT NULL::text, tenant_id text DEFAULT 'default'::text, dispatch_key text DEFAULT NULL::text, priority integer DEFAULT 0, content_type text DEFAULT NULL::text, headers json DEFAULT NULL::json, envelope_id text DEFAULT NULL::text, traceparent text DEFAULT NULL::text, tracestate text DEFAULT NULL::text, available_at timestamp with time zone DEFAULT NULL::timestamp with time zone, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, ordered boolean DEFAULT false, OUT sequence bigint, OUT was_there boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_variable
DECLARE
  id      text := coalesce(event_id, "makegood_event_id"());
  is_same boolean;
BEGIN
  IF ordered AND dispatch_key <> '' THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(tenant_id || chr(31) || dispatch_key, hashtext('makegood_outbox')));
  END IF;
  INSERT INTO "makegood_outbox" AS m (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
                             traceparent, tracestate, available_at, expires_at)
  VALUES (id, tenant_id, topic, nullif(dispatch_key, ''), priority, payload, body, content_type, headers, envelope_id,
          traceparent, tracestate, available_at, expires_at)
  ON CONFLICT ON CONSTRAINT "makegood_outbox_event" DO NOTHING RETURNING m.sequence INTO sequence;
  was_there := sequence IS NULL;
  IF NOT was_there THEN
    RETURN;
  END IF;
  SELECT m.sequence,
         m.topic = topic AND coalesce(m.dispatch_key, '') = coalesce(dispatch_key, '') AND m.priority = priority
           AND m.payload::text IS NOT DISTINCT FROM payload::text AND m.body IS NOT DISTINCT FROM body
           AND coalesce(m.content_type, '') = coalesce(content_type, '')
           AND coalesce(m.headers::text, '') = coalesce(headers::text, '')
    INTO sequence, is_same FROM "makegood_outbox" AS m WHERE m.tenant_id = tenant_id AND m.event_id = id;
  IF is_same IS NULL THEN
    RAISE EXCEPTION 'The event was there, and was removed at the same moment; try again.' USING ERRCODE = '40001';
  ELSIF NOT is_same THEN
    RAISE EXCEPTION 'This event id was already used for a message with other content.' USING ERRCODE = 'MG003';
  END IF;
END $$;


--
-- Name: makegood_outbox_enqueue_all(json, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_outbox_enqueue_all(messages json, ordered boolean DEFAULT false) RETURNS TABLE(sequence bigint, was_there boolean)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_variable
DECLARE
  m json;
  k record;
BEGIN
  IF ordered THEN
    FOR k IN SELECT DISTINCT coalesce(value ->> 'tenant_id', 'default') COLLATE "C" AS tenant,
                             (value ->> 'dispatch_key') COLLATE "C" AS key
             FROM json_array_elements(messages) WHERE value ->> 'dispatch_key' <> '' ORDER BY tenant, key LOOP
      PERFORM pg_advisory_xact_lock(hashtextextended(k.tenant || chr(31) || k.key, hashtext('makegood_outbox')));
    END LOOP;
  END IF;
  FOR m IN SELECT value FROM json_array_elements(messages) LOOP
    SELECT e.sequence, e.was_there INTO sequence, was_there FROM "makegood_outbox_enqueue"(
      topic => m ->> 'topic', payload => m -> 'payload', body => decode(m ->> 'body', 'base64'), event_id => m ->> 'event_id',
      tenant_id => coalesce(m ->> 'tenant_id', 'default'), dispatch_key => m ->> 'dispatch_key',
      priority => coalesce((m ->> 'priority')::integer, 0), content_type => m ->> 'content_type', headers => m -> 'headers',
      envelope_id => m ->> 'envelope_id', traceparent => m ->> 'traceparent', tracestate => m ->> 'tracestate',
      available_at => (m ->> 'available_at')::timestamptz, expires_at => (m ->> 'expires_at')::timestamptz) AS e;
    RETURN NEXT;
  END LOOP;
END $$;


--
-- Name: makegood_outbox_ring(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_outbox_ring() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared((1835755364::bigint << 32) | '"makegood_outbox"'::regclass::oid::bigint) THEN
    PERFORM pg_notify('makegood_' || '"makegood_outbox"'::regclass::oid, '');
  END IF;
  RETURN NULL;
END $$;


--
-- Name: makegood_outbox_wake_up(boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_outbox_wake_up(is_on boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  DROP TRIGGER IF EXISTS makegood_wake_up ON "makegood_outbox";
  DROP TRIGGER IF EXISTS makegood_wake_up ON "makegood_outbox_request";
  IF is_on THEN
    CREATE TRIGGER makegood_wake_up AFTER INSERT ON "makegood_outbox" FOR EACH STATEMENT EXECUTE FUNCTION "makegood_outbox_ring"();
    CREATE TRIGGER makegood_wake_up AFTER INSERT ON "makegood_outbox_request" FOR EACH STATEMENT EXECUTE FUNCTION "makegood_outbox_ring"();
  END IF;
END $$;


--
-- Name: makegood_refuse_delete(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_refuse_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  low bigint;
  high bigint;
  done_to bigint;
  anchor_at bigint;
  drawn_to bigint;
  needed bigint;
BEGIN
  SELECT min(sequence), max(sequence) INTO low, high FROM gone;
  IF low IS NULL THEN
    RETURN NULL;
  END IF;
  EXECUTE format('SELECT settled, anchor FROM %I.%I WHERE lane = 0 ORDER BY turn DESC LIMIT 1',
                 TG_TABLE_SCHEMA, TG_TABLE_NAME || '_turn')
  INTO done_to, anchor_at;
  IF anchor_at BETWEEN low AND high AND EXISTS (SELECT 1 FROM gone WHERE sequence = anchor_at) THEN
    RAISE EXCEPTION 'Message % of % is the newest that was read and cannot be deleted: by it is seen that the log is still the same.',
      anchor_at, TG_TABLE_NAME USING ERRCODE = 'MG002';
  END IF;
  IF high > coalesce(done_to, 0) THEN
    EXECUTE format('SELECT last_value FROM %I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME || '_number') INTO drawn_to;
    SELECT min(sequence) INTO needed FROM gone WHERE sequence > coalesce(done_to, 0) AND sequence <= drawn_to;
    IF needed IS NOT NULL THEN
      RAISE EXCEPTION 'Message % of % is still to be delivered and cannot be deleted; cancel it with `makegood outbox cancel %`.',
        needed, TG_TABLE_NAME, needed USING ERRCODE = 'MG002';
    END IF;
  END IF;
  EXECUTE format(
    'SELECT min(p.sequence) FROM %1$I.%2$I AS p WHERE p.sequence BETWEEN $1 AND $2 AND p.state <> ''done'''
    ' AND p.error_code <> ''TX.CANCELLED'' AND EXISTS (SELECT 1 FROM gone WHERE gone.sequence = p.sequence AND gone.event_id = p.event_id)'
    ' AND NOT EXISTS (SELECT 1 FROM %1$I.%3$I AS k WHERE k.sequence = p.sequence AND k.event_id = p.event_id)',
    TG_TABLE_SCHEMA, TG_TABLE_NAME || '_parked', TG_TABLE_NAME || '_kept')
  INTO needed USING low, high;
  IF needed IS NOT NULL THEN
    RAISE EXCEPTION 'Message % of % is needed by a failed delivery and cannot be deleted; see `makegood dead list`.',
      needed, TG_TABLE_NAME USING ERRCODE = 'MG002';
  END IF;
  RETURN NULL;
END $_$;


--
-- Name: makegood_refuse_delete_of_waiting(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_refuse_delete_of_waiting() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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


--
-- Name: makegood_refuse_truncate(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_refuse_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION '% cannot be truncated: nobody could tell what was not delivered. Delete what was; test fixtures use `makegood outbox reset`.',
    TG_TABLE_NAME USING ERRCODE = 'MG003';
END $$;


--
-- Name: makegood_refuse_update(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_refuse_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'Rows of % are immutable; enqueue another message instead.', TG_TABLE_NAME USING ERRCODE = 'MG001';
END $$;


--
-- Name: makegood_saga_enqueue(text, json, bytea, text, text, text, integer, text, json, text, text, text, timestamp with time zone, timestamp with time zone, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_saga_enqueue(topic text, payload json DEFAULT NULL::json, body bytea DEFAULT NULL::bytea, event_id text DEFAULT NULL::text, tenant_id text DEFAULT 'default'::text, dispatch_key text DEFAULT NULL::text, priority integer DEFAULT 0, content_type text DEFAULT NULL::text, headers json DEFAULT NULL::json, envelope_id text DEFAULT NULL::text, traceparent text DEFAULT NULL::text, tracestate text DEFAULT NULL::text, available_at timestamp with time zone DEFAULT NULL::timestamp with time zone, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, ordered boolean DEFAULT false, OUT sequence bigint, OUT was_there boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_variable
DECLARE
  id      text := coalesce(event_id, "makegood_event_id"());
  is_same boolean;
BEGIN
  IF ordered AND dispatch_key <> '' THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(tenant_id || chr(31) || dispatch_key, hashtext('makegood_saga')));
  END IF;
  INSERT INTO "makegood_saga" AS m (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
                             traceparent, tracestate, available_at, expires_at)
  VALUES (id, tenant_id, topic, nullif(dispatch_key, ''), priority, payload, body, content_type, headers, envelope_id,
          traceparent, tracestate, available_at, expires_at)
  ON CONFLICT ON CONSTRAINT "makegood_saga_event" DO NOTHING RETURNING m.sequence INTO sequence;
  was_there := sequence IS NULL;
  IF NOT was_there THEN
    RETURN;
  END IF;
  SELECT m.sequence,
         m.topic = topic AND coalesce(m.dispatch_key, '') = coalesce(dispatch_key, '') AND m.priority = priority
           AND m.payload::text IS NOT DISTINCT FROM payload::text AND m.body IS NOT DISTINCT FROM body
           AND coalesce(m.content_type, '') = coalesce(content_type, '')
           AND coalesce(m.headers::text, '') = coalesce(headers::text, '')
    INTO sequence, is_same FROM "makegood_saga" AS m WHERE m.tenant_id = tenant_id AND m.event_id = id;
  IF is_same IS NULL THEN
    RAISE EXCEPTION 'The event was there, and was removed at the same moment; try again.' USING ERRCODE = '40001';
  ELSIF NOT is_same THEN
    RAISE EXCEPTION 'This event id was already used for a message with other content.' USING ERRCODE = 'MG003';
  END IF;
END $$;


--
-- Name: makegood_saga_enqueue_all(json, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_saga_enqueue_all(messages json, ordered boolean DEFAULT false) RETURNS TABLE(sequence bigint, was_there boolean)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_variable
DECLARE
  m json;
  k record;
BEGIN
  IF ordered THEN
    FOR k IN SELECT DISTINCT coalesce(value ->> 'tenant_id', 'default') COLLATE "C" AS tenant,
                             (value ->> 'dispatch_key') COLLATE "C" AS key
             FROM json_array_elements(messages) WHERE value ->> 'dispatch_key' <> '' ORDER BY tenant, key LOOP
      PERFORM pg_advisory_xact_lock(hashtextextended(k.tenant || chr(31) || k.key, hashtext('makegood_saga')));
    END LOOP;
  END IF;
  FOR m IN SELECT value FROM json_array_elements(messages) LOOP
    SELECT e.sequence, e.was_there INTO sequence, was_there FROM "makegood_saga_enqueue"(
      topic => m ->> 'topic', payload => m -> 'payload', body => decode(m ->> 'body', 'base64'), event_id => m ->> 'event_id',
      tenant_id => coalesce(m ->> 'tenant_id', 'default'), dispatch_key => m ->> 'dispatch_key',
      priority => coalesce((m ->> 'priority')::integer, 0), content_type => m ->> 'content_type', headers => m -> 'headers',
      envelope_id => m ->> 'envelope_id', traceparent => m ->> 'traceparent', tracestate => m ->> 'tracestate',
      available_at => (m ->> 'available_at')::timestamptz, expires_at => (m ->> 'expires_at')::timestamptz) AS e;
    RETURN NEXT;
  END LOOP;
END $$;


--
-- Name: makegood_saga_ring(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_saga_ring() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared((1835755364::bigint << 32) | '"makegood_saga"'::regclass::oid::bigint) THEN
    PERFORM pg_notify('makegood_' || '"makegood_saga"'::regclass::oid, '');
  END IF;
  RETURN NULL;
END $$;


--
-- Name: makegood_saga_start(text, json, text, text, text, json, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_saga_start(definition text, input json DEFAULT json_build_object(), id text DEFAULT NULL::text, tenant_id text DEFAULT 'default'::text, key text DEFAULT NULL::text, headers json DEFAULT NULL::json, traceparent text DEFAULT NULL::text, tracestate text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_variable
DECLARE
  execution text := coalesce(id, "makegood_event_id"());
  is_same   boolean;
BEGIN
  IF definition LIKE 'makegood.%' THEN
    RAISE EXCEPTION 'A definition is not called makegood.*; such names are kept for requests.' USING ERRCODE = 'MG003';
  END IF;
  INSERT INTO "makegood_saga" AS m (topic, payload, event_id, tenant_id, dispatch_key, headers, traceparent, tracestate)
  VALUES (definition, input, execution, tenant_id, nullif(key, ''), headers, traceparent, tracestate)
  ON CONFLICT ON CONSTRAINT "makegood_saga_event" DO NOTHING;
  IF FOUND THEN
    RETURN execution;
  END IF;
  SELECT m.topic = definition AND coalesce(m.dispatch_key, '') = coalesce(key, '')
         AND m.payload::text IS NOT DISTINCT FROM input::text
    INTO is_same FROM "makegood_saga" AS m WHERE m.tenant_id = tenant_id AND m.event_id = execution;
  IF is_same IS NULL THEN
    RAISE EXCEPTION 'The execution was there, and was removed at the same moment; try again.' USING ERRCODE = '40001';
  ELSIF NOT is_same THEN
    RAISE EXCEPTION 'The execution % is there already, of another definition, input or key.', execution USING ERRCODE = 'MG003';
  END IF;
  RETURN execution;
END $$;


--
-- Name: makegood_saga_wake_up(boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.makegood_saga_wake_up(is_on boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  DROP TRIGGER IF EXISTS makegood_wake_up ON "makegood_saga";
  DROP TRIGGER IF EXISTS makegood_wake_up ON "makegood_saga_request";
  IF is_on THEN
    CREATE TRIGGER makegood_wake_up AFTER INSERT ON "makegood_saga" FOR EACH STATEMENT EXECUTE FUNCTION "makegood_saga_ring"();
    CREATE TRIGGER makegood_wake_up AFTER INSERT ON "makegood_saga_request" FOR EACH STATEMENT EXECUTE FUNCTION "makegood_saga_ring"();
  END IF;
END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: makegood_migration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_migration (
    outbox text NOT NULL,
    number integer NOT NULL,
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: makegood_node; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.makegood_node (
    node text NOT NULL,
    lanes integer NOT NULL,
    seen_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');


--
-- Name: makegood_outbox; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_outbox (
    sequence bigint NOT NULL,
    event_id text DEFAULT public.makegood_event_id() NOT NULL,
    tenant_id text DEFAULT 'default'::text NOT NULL,
    topic text NOT NULL,
    dispatch_key text,
    priority integer DEFAULT 0 NOT NULL,
    payload json,
    body bytea,
    content_type text,
    headers json,
    envelope_id text,
    traceparent text,
    tracestate text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    available_at timestamp with time zone,
    expires_at timestamp with time zone,
    CONSTRAINT exactly_one_of_payload_and_body CHECK (((payload IS NULL) <> (body IS NULL))),
    CONSTRAINT topic_has_1_to_255_characters CHECK (((length(topic) >= 1) AND (length(topic) <= 255)))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='10000', autovacuum_vacuum_insert_scale_factor='0.1', autovacuum_analyze_scale_factor='0.05');


--
-- Name: makegood_outbox_kept; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_outbox_kept (
    sequence bigint NOT NULL,
    event_id text NOT NULL,
    tenant_id text NOT NULL,
    topic text NOT NULL,
    dispatch_key text,
    priority integer NOT NULL,
    payload json,
    body bytea,
    content_type text,
    headers json,
    envelope_id text,
    traceparent text,
    tracestate text,
    created_at timestamp with time zone NOT NULL,
    available_at timestamp with time zone,
    expires_at timestamp with time zone
);


--
-- Name: makegood_outbox_number; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.makegood_outbox ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.makegood_outbox_number
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: makegood_outbox_parked; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_outbox_parked (
    sequence bigint NOT NULL,
    destination text NOT NULL,
    tenant_id text NOT NULL,
    dispatch_key text NOT NULL,
    slot integer NOT NULL,
    state text NOT NULL,
    blocks boolean NOT NULL,
    attempts bigint NOT NULL,
    deaths bigint NOT NULL,
    due_at timestamp with time zone NOT NULL,
    owner text,
    error_code text NOT NULL,
    last_error text NOT NULL,
    story jsonb NOT NULL,
    parked_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    event_id text DEFAULT ''::text NOT NULL,
    answered bigint DEFAULT 0 NOT NULL,
    CONSTRAINT makegood_outbox_parked_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'held'::text, 'dead'::text, 'quarantined'::text, 'done'::text])))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');


--
-- Name: makegood_outbox_request; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_outbox_request (
    id bigint NOT NULL,
    kind text NOT NULL,
    sequence bigint NOT NULL,
    destination text NOT NULL,
    operator text NOT NULL,
    reason text NOT NULL,
    tenant_id text DEFAULT ''::text NOT NULL,
    until bigint DEFAULT 0 NOT NULL,
    document text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    done_at timestamp with time zone,
    result text
);


--
-- Name: makegood_outbox_request_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.makegood_outbox_request ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.makegood_outbox_request_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: makegood_outbox_route; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_outbox_route (
    version bigint NOT NULL,
    from_sequence bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    owner text NOT NULL,
    document json NOT NULL,
    is_retired boolean DEFAULT false NOT NULL
);


--
-- Name: makegood_outbox_turn; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_outbox_turn (
    lane integer NOT NULL,
    turn bigint NOT NULL,
    owner text NOT NULL,
    at timestamp with time zone NOT NULL,
    lease_until timestamp with time zone NOT NULL,
    reached bigint NOT NULL,
    settled bigint NOT NULL,
    "position" json NOT NULL,
    is_taking boolean DEFAULT false NOT NULL,
    anchor bigint DEFAULT 0 NOT NULL,
    anchor_event text DEFAULT ''::text NOT NULL,
    counter bigint DEFAULT 0 NOT NULL,
    cleaned bigint DEFAULT 0 NOT NULL,
    stopped text DEFAULT ''::text NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');


--
-- Name: makegood_outbox_status; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.makegood_outbox_status AS
 WITH message AS (
         SELECT makegood_outbox.sequence,
            makegood_outbox.event_id,
            makegood_outbox.tenant_id,
            makegood_outbox.topic,
            makegood_outbox.dispatch_key,
            makegood_outbox.priority,
            makegood_outbox.payload,
            makegood_outbox.created_at,
            makegood_outbox.available_at
           FROM public.makegood_outbox
        UNION ALL
         SELECT makegood_outbox_kept.sequence,
            makegood_outbox_kept.event_id,
            makegood_outbox_kept.tenant_id,
            makegood_outbox_kept.topic,
            makegood_outbox_kept.dispatch_key,
            makegood_outbox_kept.priority,
            makegood_outbox_kept.payload,
            makegood_outbox_kept.created_at,
            makegood_outbox_kept.available_at
           FROM public.makegood_outbox_kept
        ), last AS (
         SELECT makegood_outbox_turn.at,
            makegood_outbox_turn.reached,
            makegood_outbox_turn."position"
           FROM public.makegood_outbox_turn
          WHERE (makegood_outbox_turn.lane = 0)
          ORDER BY makegood_outbox_turn.turn DESC
         LIMIT 1
        ), side AS (
         SELECT (lane.value ->> 'destination'::text) AS destination,
            (lane.value ->> 'tenant_id'::text) AS tenant_id,
            (lane.value ->> 'dispatch_key'::text) AS dispatch_key,
            ((lane.value ->> 'priority'::text))::bigint AS priority,
            ((lane.value ->> 'reached'::text))::bigint AS reached,
            (lane.value -> 'under_way'::text) AS under_way,
            (((((lane.value ->> 'tenant_id'::text) IS NOT NULL))::integer + (((lane.value ->> 'dispatch_key'::text) IS NOT NULL))::integer) + (((lane.value ->> 'priority'::text) IS NOT NULL))::integer) AS depth
           FROM last,
            LATERAL json_array_elements((last."position" -> 'sides'::text)) lane(value)
          WHERE ((lane.value ->> 'why'::text) <> 'history'::text)
        ), route AS (
         SELECT version.version,
            (entry.value ->> 'destination'::text) AS destination,
            replace(replace(replace(replace((entry.value ->> 'pattern'::text), '\'::text, '\\'::text), '%'::text, '\%'::text), '_'::text, '\_'::text), '*'::text, '%'::text) AS pattern,
            ( SELECT (target.value ->> 'tenant_id'::text)
                   FROM json_array_elements((version.document -> 'destinations'::text)) target(value)
                  WHERE ((target.value ->> 'name'::text) = (entry.value ->> 'destination'::text))) AS tenant_id
           FROM public.makegood_outbox_route version,
            LATERAL json_array_elements((version.document -> 'routes'::text)) entry(value)
        ), listed(is_open, numbers) AS (
         SELECT false AS "?column?",
            destination.value
           FROM last,
            LATERAL json_each((last."position" -> 'under_way'::text)) destination(key, value)
        UNION ALL
         SELECT false,
            side.under_way
           FROM side
        UNION ALL
         SELECT true,
            (last."position" -> 'open'::text)
           FROM last
        ), hole AS MATERIALIZED (
         SELECT listed.is_open,
            (run.ends - run.length) AS low,
            (run.ends - 1) AS high
           FROM listed,
            LATERAL ( SELECT run_1.place,
                    run_1.length,
                    (sum(run_1.length) OVER (ORDER BY run_1.place))::bigint AS ends
                   FROM ( SELECT entry.place,
                            ((entry.value)::text)::bigint AS length
                           FROM json_array_elements(listed.numbers) WITH ORDINALITY entry(value, place)) run_1) run
          WHERE ((run.place % (2)::bigint) = 0)
        ), under_way AS (
         SELECT hole.low,
            hole.high
           FROM hole
          WHERE (NOT hole.is_open)
        ), open AS (
         SELECT hole.low,
            hole.high
           FROM hole
          WHERE hole.is_open
        ), parked AS (
         SELECT makegood_outbox_parked.sequence,
            makegood_outbox_parked.event_id,
            max(makegood_outbox_parked.attempts) AS attempts,
            max(makegood_outbox_parked.changed_at) AS changed_at,
            max(
                CASE
                    WHEN (makegood_outbox_parked.state = 'waiting'::text) THEN makegood_outbox_parked.due_at
                    ELSE NULL::timestamp with time zone
                END) AS due_at,
            max(
                CASE
                    WHEN (makegood_outbox_parked.state <> 'done'::text) THEN NULLIF(makegood_outbox_parked.last_error, ''::text)
                    ELSE NULL::text
                END) AS last_error,
            bool_or((makegood_outbox_parked.state = 'dead'::text)) AS is_dead,
            bool_or((makegood_outbox_parked.state = 'quarantined'::text)) AS is_quarantined,
            bool_or((makegood_outbox_parked.owner IS NOT NULL)) AS is_under_way,
            bool_or((makegood_outbox_parked.state = ANY (ARRAY['waiting'::text, 'held'::text]))) AS is_waiting
           FROM public.makegood_outbox_parked
          GROUP BY makegood_outbox_parked.sequence, makegood_outbox_parked.event_id
        ), known AS (
         SELECT message.sequence,
            message.event_id,
            message.tenant_id,
            message.topic,
            message.dispatch_key,
            message.priority,
            message.payload,
            message.created_at,
            message.available_at,
            parked.attempts,
            parked.changed_at,
            parked.due_at,
            parked.last_error,
            (EXISTS ( SELECT 1
                   FROM under_way
                  WHERE ((message.sequence >= under_way.low) AND (message.sequence <= under_way.high)))) AS is_in_hole,
                CASE
                    WHEN parked.is_dead THEN 'dead'::text
                    WHEN parked.is_quarantined THEN 'quarantined'::text
                    WHEN ((EXISTS ( SELECT 1
                       FROM under_way
                      WHERE ((message.sequence >= under_way.low) AND (message.sequence <= under_way.high)))) OR parked.is_under_way) THEN 'leased'::text
                    WHEN (message.sequence > COALESCE(( SELECT last.reached
                       FROM last), (0)::bigint)) THEN 'pending'::text
                    WHEN ((EXISTS ( SELECT 1
                       FROM open
                      WHERE ((message.sequence >= open.low) AND (message.sequence <= open.high)))) OR parked.is_waiting) THEN 'pending'::text
                    WHEN (EXISTS ( SELECT 1
                       FROM side
                      WHERE ((message.sequence > side.reached) AND ((side.tenant_id IS NULL) OR (side.tenant_id = message.tenant_id)) AND ((side.dispatch_key IS NULL) OR (side.dispatch_key = message.dispatch_key)) AND ((side.priority IS NULL) OR ((COALESCE(message.dispatch_key, ''::text) = ''::text) AND (side.priority = message.priority))) AND (NOT (EXISTS ( SELECT 1
                               FROM side within
                              WHERE ((within.destination = side.destination) AND (within.depth > side.depth) AND ((within.tenant_id IS NULL) OR (within.tenant_id = message.tenant_id)) AND ((within.dispatch_key IS NULL) OR (within.dispatch_key = message.dispatch_key)) AND ((within.priority IS NULL) OR ((COALESCE(message.dispatch_key, ''::text) = ''::text) AND (within.priority = message.priority))))))) AND (EXISTS ( SELECT 1
                               FROM route
                              WHERE ((route.version = ( SELECT max(makegood_outbox_route.version) AS max
                                       FROM public.makegood_outbox_route
                                      WHERE (makegood_outbox_route.from_sequence < message.sequence))) AND (route.destination = side.destination) AND (message.topic ~~ route.pattern) AND (COALESCE(route.tenant_id, message.tenant_id) = message.tenant_id))))))) THEN 'pending'::text
                    ELSE 'done'::text
                END AS state
           FROM (message
             LEFT JOIN parked ON (((parked.sequence = message.sequence) AND (parked.event_id = message.event_id))))
        ), timed AS (
         SELECT known.sequence,
            known.event_id,
            known.tenant_id,
            known.topic,
            known.dispatch_key,
            known.priority,
            known.payload,
            known.created_at,
            known.available_at,
            known.attempts,
            known.changed_at,
            known.due_at,
            known.last_error,
            known.is_in_hole,
            known.state,
                CASE
                    WHEN (known.state = 'done'::text) THEN COALESCE(known.changed_at, ( SELECT makegood_outbox_turn.at
                       FROM public.makegood_outbox_turn
                      WHERE ((makegood_outbox_turn.lane = 0) AND (makegood_outbox_turn.settled >= known.sequence))
                      ORDER BY makegood_outbox_turn.settled, makegood_outbox_turn.turn
                     LIMIT 1), ( SELECT last.at
                       FROM last))
                    ELSE NULL::timestamp with time zone
                END AS published_at,
                CASE
                    WHEN (known.state = 'leased'::text) THEN
                    CASE
                        WHEN known.is_in_hole THEN ( SELECT last.at
                           FROM last)
                        ELSE known.changed_at
                    END
                    ELSE NULL::timestamp with time zone
                END AS locked_at
           FROM known
        )
 SELECT timed.event_id AS id,
    timed.tenant_id,
    timed.topic,
    timed.payload,
    timed.event_id,
    timed.sequence,
    timed.created_at,
    timed.published_at,
    COALESCE(timed.attempts, (((timed.state = ANY (ARRAY['done'::text, 'leased'::text])))::integer)::bigint) AS attempts,
    COALESCE(timed.due_at, timed.available_at, timed.created_at) AS available_at,
    timed.locked_at,
    timed.last_error,
    timed.state,
    timed.dispatch_key,
    GREATEST(timed.created_at, timed.changed_at, timed.published_at, timed.locked_at) AS changed_at
   FROM timed;


--
-- Name: makegood_outbox_status_003; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.makegood_outbox_status_003 AS
 SELECT makegood_outbox_status.sequence AS id,
    makegood_outbox_status.tenant_id,
    makegood_outbox_status.topic AS event_type,
    makegood_outbox_status.dispatch_key AS aggregate_id,
    makegood_outbox_status.payload,
        CASE
            WHEN (makegood_outbox_status.state = 'done'::text) THEN 'SENT'::text
            WHEN (makegood_outbox_status.state = ANY (ARRAY['dead'::text, 'quarantined'::text])) THEN 'FAILED'::text
            ELSE 'PENDING'::text
        END AS status,
    GREATEST((makegood_outbox_status.attempts - 1), (0)::bigint) AS retry_count,
    makegood_outbox_status.available_at AS next_retry_time,
    makegood_outbox_status.created_at AS create_time,
    makegood_outbox_status.changed_at AS update_time
   FROM public.makegood_outbox_status;


--
-- Name: makegood_saga; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga (
    sequence bigint NOT NULL,
    event_id text DEFAULT public.makegood_event_id() NOT NULL,
    tenant_id text DEFAULT 'default'::text NOT NULL,
    topic text NOT NULL,
    dispatch_key text,
    priority integer DEFAULT 0 NOT NULL,
    payload json,
    body bytea,
    content_type text,
    headers json,
    envelope_id text,
    traceparent text,
    tracestate text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    available_at timestamp with time zone,
    expires_at timestamp with time zone,
    CONSTRAINT exactly_one_of_payload_and_body CHECK (((payload IS NULL) <> (body IS NULL))),
    CONSTRAINT topic_has_1_to_255_characters CHECK (((length(topic) >= 1) AND (length(topic) <= 255)))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='10000', autovacuum_vacuum_insert_scale_factor='0.1', autovacuum_analyze_scale_factor='0.05');


--
-- Name: makegood_saga_definition; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_definition (
    name text NOT NULL,
    version bigint NOT NULL,
    document text NOT NULL,
    source text NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: makegood_saga_end; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_end (
    execution bigint NOT NULL,
    tenant_id text NOT NULL,
    id text NOT NULL,
    definition text NOT NULL,
    version bigint NOT NULL,
    state text NOT NULL,
    step text NOT NULL,
    code text NOT NULL,
    error text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    revision bigint NOT NULL,
    output text NOT NULL,
    open text NOT NULL,
    CONSTRAINT makegood_saga_end_state_check CHECK ((state = ANY (ARRAY['completed'::text, 'compensated'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.1', autovacuum_analyze_scale_factor='0.05');


--
-- Name: makegood_saga_journal; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_journal (
    execution bigint NOT NULL,
    revision bigint NOT NULL,
    records bytea NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.1', autovacuum_analyze_scale_factor='0.05');


--
-- Name: makegood_saga_kept; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_kept (
    sequence bigint NOT NULL,
    event_id text NOT NULL,
    tenant_id text NOT NULL,
    topic text NOT NULL,
    dispatch_key text,
    priority integer NOT NULL,
    payload json,
    body bytea,
    content_type text,
    headers json,
    envelope_id text,
    traceparent text,
    tracestate text,
    created_at timestamp with time zone NOT NULL,
    available_at timestamp with time zone,
    expires_at timestamp with time zone
);


--
-- Name: makegood_saga_number; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.makegood_saga ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.makegood_saga_number
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: makegood_saga_parked; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_parked (
    sequence bigint NOT NULL,
    destination text NOT NULL,
    tenant_id text NOT NULL,
    dispatch_key text NOT NULL,
    slot integer NOT NULL,
    state text NOT NULL,
    blocks boolean NOT NULL,
    attempts bigint NOT NULL,
    deaths bigint NOT NULL,
    due_at timestamp with time zone NOT NULL,
    owner text,
    error_code text NOT NULL,
    last_error text NOT NULL,
    story jsonb NOT NULL,
    parked_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    event_id text DEFAULT ''::text NOT NULL,
    answered bigint DEFAULT 0 NOT NULL,
    CONSTRAINT makegood_saga_parked_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'held'::text, 'dead'::text, 'quarantined'::text, 'done'::text])))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');


--
-- Name: makegood_saga_request; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_request (
    id bigint NOT NULL,
    kind text NOT NULL,
    sequence bigint NOT NULL,
    destination text NOT NULL,
    operator text NOT NULL,
    reason text NOT NULL,
    tenant_id text DEFAULT ''::text NOT NULL,
    until bigint DEFAULT 0 NOT NULL,
    document text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    done_at timestamp with time zone,
    result text
);


--
-- Name: makegood_saga_request_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.makegood_saga_request ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.makegood_saga_request_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: makegood_saga_route; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_route (
    version bigint NOT NULL,
    from_sequence bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    owner text NOT NULL,
    document json NOT NULL,
    is_retired boolean DEFAULT false NOT NULL
);


--
-- Name: makegood_saga_secret; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_secret (
    callback_key text NOT NULL
);


--
-- Name: makegood_saga_turn; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_turn (
    lane integer NOT NULL,
    turn bigint NOT NULL,
    owner text NOT NULL,
    at timestamp with time zone NOT NULL,
    lease_until timestamp with time zone NOT NULL,
    reached bigint NOT NULL,
    settled bigint NOT NULL,
    "position" json NOT NULL,
    is_taking boolean DEFAULT false NOT NULL,
    anchor bigint DEFAULT 0 NOT NULL,
    anchor_event text DEFAULT ''::text NOT NULL,
    counter bigint DEFAULT 0 NOT NULL,
    cleaned bigint DEFAULT 0 NOT NULL,
    stopped text DEFAULT ''::text NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');


--
-- Name: makegood_saga_status; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.makegood_saga_status AS
 WITH message AS (
         SELECT makegood_saga.sequence,
            makegood_saga.event_id,
            makegood_saga.tenant_id,
            makegood_saga.topic,
            makegood_saga.dispatch_key,
            makegood_saga.priority,
            makegood_saga.payload,
            makegood_saga.created_at,
            makegood_saga.available_at
           FROM public.makegood_saga
        UNION ALL
         SELECT makegood_saga_kept.sequence,
            makegood_saga_kept.event_id,
            makegood_saga_kept.tenant_id,
            makegood_saga_kept.topic,
            makegood_saga_kept.dispatch_key,
            makegood_saga_kept.priority,
            makegood_saga_kept.payload,
            makegood_saga_kept.created_at,
            makegood_saga_kept.available_at
           FROM public.makegood_saga_kept
        ), last AS (
         SELECT makegood_saga_turn.at,
            makegood_saga_turn.reached,
            makegood_saga_turn."position"
           FROM public.makegood_saga_turn
          WHERE (makegood_saga_turn.lane = 0)
          ORDER BY makegood_saga_turn.turn DESC
         LIMIT 1
        ), side AS (
         SELECT (lane.value ->> 'destination'::text) AS destination,
            (lane.value ->> 'tenant_id'::text) AS tenant_id,
            (lane.value ->> 'dispatch_key'::text) AS dispatch_key,
            ((lane.value ->> 'priority'::text))::bigint AS priority,
            ((lane.value ->> 'reached'::text))::bigint AS reached,
            (lane.value -> 'under_way'::text) AS under_way,
            (((((lane.value ->> 'tenant_id'::text) IS NOT NULL))::integer + (((lane.value ->> 'dispatch_key'::text) IS NOT NULL))::integer) + (((lane.value ->> 'priority'::text) IS NOT NULL))::integer) AS depth
           FROM last,
            LATERAL json_array_elements((last."position" -> 'sides'::text)) lane(value)
          WHERE ((lane.value ->> 'why'::text) <> 'history'::text)
        ), route AS (
         SELECT version.version,
            (entry.value ->> 'destination'::text) AS destination,
            replace(replace(replace(replace((entry.value ->> 'pattern'::text), '\'::text, '\\'::text), '%'::text, '\%'::text), '_'::text, '\_'::text), '*'::text, '%'::text) AS pattern,
            ( SELECT (target.value ->> 'tenant_id'::text)
                   FROM json_array_elements((version.document -> 'destinations'::text)) target(value)
                  WHERE ((target.value ->> 'name'::text) = (entry.value ->> 'destination'::text))) AS tenant_id
           FROM public.makegood_saga_route version,
            LATERAL json_array_elements((version.document -> 'routes'::text)) entry(value)
        ), listed(is_open, numbers) AS (
         SELECT false AS "?column?",
            destination.value
           FROM last,
            LATERAL json_each((last."position" -> 'under_way'::text)) destination(key, value)
        UNION ALL
         SELECT false,
            side.under_way
           FROM side
        UNION ALL
         SELECT true,
            (last."position" -> 'open'::text)
           FROM last
        ), hole AS MATERIALIZED (
         SELECT listed.is_open,
            (run.ends - run.length) AS low,
            (run.ends - 1) AS high
           FROM listed,
            LATERAL ( SELECT run_1.place,
                    run_1.length,
                    (sum(run_1.length) OVER (ORDER BY run_1.place))::bigint AS ends
                   FROM ( SELECT entry.place,
                            ((entry.value)::text)::bigint AS length
                           FROM json_array_elements(listed.numbers) WITH ORDINALITY entry(value, place)) run_1) run
          WHERE ((run.place % (2)::bigint) = 0)
        ), under_way AS (
         SELECT hole.low,
            hole.high
           FROM hole
          WHERE (NOT hole.is_open)
        ), open AS (
         SELECT hole.low,
            hole.high
           FROM hole
          WHERE hole.is_open
        ), parked AS (
         SELECT makegood_saga_parked.sequence,
            makegood_saga_parked.event_id,
            max(makegood_saga_parked.attempts) AS attempts,
            max(makegood_saga_parked.changed_at) AS changed_at,
            max(
                CASE
                    WHEN (makegood_saga_parked.state = 'waiting'::text) THEN makegood_saga_parked.due_at
                    ELSE NULL::timestamp with time zone
                END) AS due_at,
            max(
                CASE
                    WHEN (makegood_saga_parked.state <> 'done'::text) THEN NULLIF(makegood_saga_parked.last_error, ''::text)
                    ELSE NULL::text
                END) AS last_error,
            bool_or((makegood_saga_parked.state = 'dead'::text)) AS is_dead,
            bool_or((makegood_saga_parked.state = 'quarantined'::text)) AS is_quarantined,
            bool_or((makegood_saga_parked.owner IS NOT NULL)) AS is_under_way,
            bool_or((makegood_saga_parked.state = ANY (ARRAY['waiting'::text, 'held'::text]))) AS is_waiting
           FROM public.makegood_saga_parked
          GROUP BY makegood_saga_parked.sequence, makegood_saga_parked.event_id
        ), known AS (
         SELECT message.sequence,
            message.event_id,
            message.tenant_id,
            message.topic,
            message.dispatch_key,
            message.priority,
            message.payload,
            message.created_at,
            message.available_at,
            parked.attempts,
            parked.changed_at,
            parked.due_at,
            parked.last_error,
            (EXISTS ( SELECT 1
                   FROM under_way
                  WHERE ((message.sequence >= under_way.low) AND (message.sequence <= under_way.high)))) AS is_in_hole,
                CASE
                    WHEN parked.is_dead THEN 'dead'::text
                    WHEN parked.is_quarantined THEN 'quarantined'::text
                    WHEN ((EXISTS ( SELECT 1
                       FROM under_way
                      WHERE ((message.sequence >= under_way.low) AND (message.sequence <= under_way.high)))) OR parked.is_under_way) THEN 'leased'::text
                    WHEN (message.sequence > COALESCE(( SELECT last.reached
                       FROM last), (0)::bigint)) THEN 'pending'::text
                    WHEN ((EXISTS ( SELECT 1
                       FROM open
                      WHERE ((message.sequence >= open.low) AND (message.sequence <= open.high)))) OR parked.is_waiting) THEN 'pending'::text
                    WHEN (EXISTS ( SELECT 1
                       FROM side
                      WHERE ((message.sequence > side.reached) AND ((side.tenant_id IS NULL) OR (side.tenant_id = message.tenant_id)) AND ((side.dispatch_key IS NULL) OR (side.dispatch_key = message.dispatch_key)) AND ((side.priority IS NULL) OR ((COALESCE(message.dispatch_key, ''::text) = ''::text) AND (side.priority = message.priority))) AND (NOT (EXISTS ( SELECT 1
                               FROM side within
                              WHERE ((within.destination = side.destination) AND (within.depth > side.depth) AND ((within.tenant_id IS NULL) OR (within.tenant_id = message.tenant_id)) AND ((within.dispatch_key IS NULL) OR (within.dispatch_key = message.dispatch_key)) AND ((within.priority IS NULL) OR ((COALESCE(message.dispatch_key, ''::text) = ''::text) AND (within.priority = message.priority))))))) AND (EXISTS ( SELECT 1
                               FROM route
                              WHERE ((route.version = ( SELECT max(makegood_saga_route.version) AS max
                                       FROM public.makegood_saga_route
                                      WHERE (makegood_saga_route.from_sequence < message.sequence))) AND (route.destination = side.destination) AND (message.topic ~~ route.pattern) AND (COALESCE(route.tenant_id, message.tenant_id) = message.tenant_id))))))) THEN 'pending'::text
                    ELSE 'done'::text
                END AS state
           FROM (message
             LEFT JOIN parked ON (((parked.sequence = message.sequence) AND (parked.event_id = message.event_id))))
        ), timed AS (
         SELECT known.sequence,
            known.event_id,
            known.tenant_id,
            known.topic,
            known.dispatch_key,
            known.priority,
            known.payload,
            known.created_at,
            known.available_at,
            known.attempts,
            known.changed_at,
            known.due_at,
            known.last_error,
            known.is_in_hole,
            known.state,
                CASE
                    WHEN (known.state = 'done'::text) THEN COALESCE(known.changed_at, ( SELECT makegood_saga_turn.at
                       FROM public.makegood_saga_turn
                      WHERE ((makegood_saga_turn.lane = 0) AND (makegood_saga_turn.settled >= known.sequence))
                      ORDER BY makegood_saga_turn.settled, makegood_saga_turn.turn
                     LIMIT 1), ( SELECT last.at
                       FROM last))
                    ELSE NULL::timestamp with time zone
                END AS published_at,
                CASE
                    WHEN (known.state = 'leased'::text) THEN
                    CASE
                        WHEN known.is_in_hole THEN ( SELECT last.at
                           FROM last)
                        ELSE known.changed_at
                    END
                    ELSE NULL::timestamp with time zone
                END AS locked_at
           FROM known
        )
 SELECT timed.event_id AS id,
    timed.tenant_id,
    timed.topic,
    timed.payload,
    timed.event_id,
    timed.sequence,
    timed.created_at,
    timed.published_at,
    COALESCE(timed.attempts, (((timed.state = ANY (ARRAY['done'::text, 'leased'::text])))::integer)::bigint) AS attempts,
    COALESCE(timed.due_at, timed.available_at, timed.created_at) AS available_at,
    timed.locked_at,
    timed.last_error,
    timed.state,
    timed.dispatch_key,
    GREATEST(timed.created_at, timed.changed_at, timed.published_at, timed.locked_at) AS changed_at
   FROM timed;


--
-- Name: makegood_saga_status_003; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.makegood_saga_status_003 AS
 SELECT makegood_saga_status.sequence AS id,
    makegood_saga_status.tenant_id,
    makegood_saga_status.topic AS event_type,
    makegood_saga_status.dispatch_key AS aggregate_id,
    makegood_saga_status.payload,
        CASE
            WHEN (makegood_saga_status.state = 'done'::text) THEN 'SENT'::text
            WHEN (makegood_saga_status.state = ANY (ARRAY['dead'::text, 'quarantined'::text])) THEN 'FAILED'::text
            ELSE 'PENDING'::text
        END AS status,
    GREATEST((makegood_saga_status.attempts - 1), (0)::bigint) AS retry_count,
    makegood_saga_status.available_at AS next_retry_time,
    makegood_saga_status.created_at AS create_time,
    makegood_saga_status.changed_at AS update_time
   FROM public.makegood_saga_status;


--
-- Name: makegood_saga_waiting; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_saga_waiting (
    execution bigint NOT NULL,
    tenant_id text NOT NULL,
    id text NOT NULL,
    definition text NOT NULL,
    version bigint NOT NULL,
    state text NOT NULL,
    waits_for text NOT NULL,
    step text NOT NULL,
    code text NOT NULL,
    error text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    CONSTRAINT makegood_saga_waiting_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'waiting'::text, 'paused'::text, 'manual'::text, 'compensating'::text])))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');


--
-- Name: makegood_store; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.makegood_store (
    id integer NOT NULL,
    system bigint NOT NULL,
    timeline bigint NOT NULL,
    database bigint,
    environment text,
    places jsonb,
    logs jsonb,
    CONSTRAINT makegood_store_id_check CHECK ((id = 1))
);


--
-- Data for Name: makegood_migration; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_migration (outbox, number, name, applied_at) FROM stdin;
makegood_outbox	1	outbox	2026-11-18 10:58:39.110874+00
makegood_outbox	2	enqueue	2026-11-18 10:58:39.11767+00
makegood_outbox	3	wake_up	2026-11-18 10:58:39.128438+00
makegood_outbox	4	status	2026-11-18 10:58:39.130088+00
makegood_outbox	5	changed_at	2026-11-18 10:58:39.133911+00
makegood_outbox	6	log_mark	2026-11-18 10:58:39.176958+00
makegood_outbox	7	deletes	2026-11-18 10:58:39.194324+00
makegood_outbox	8	answered	2026-11-18 10:58:39.19902+00
makegood_outbox	9	places	2026-11-18 10:58:39.207336+00
makegood_outbox	10	log_oid	2026-11-18 10:58:39.219517+00
makegood_saga	1	outbox	2026-11-18 10:58:39.350242+00
makegood_saga	2	enqueue	2026-11-18 10:58:39.362913+00
makegood_saga	3	wake_up	2026-11-18 10:58:39.364728+00
makegood_saga	4	status	2026-11-18 10:58:39.367784+00
makegood_saga	5	changed_at	2026-11-18 10:58:39.369542+00
makegood_saga	6	log_mark	2026-11-18 10:58:39.406329+00
makegood_saga	7	deletes	2026-11-18 10:58:39.41255+00
makegood_saga	8	answered	2026-11-18 10:58:39.414743+00
makegood_saga	9	places	2026-11-18 10:58:39.42136+00
makegood_saga	10	log_oid	2026-11-18 10:58:39.423309+00
makegood_saga_journal	1	sagas	2026-11-18 10:58:39.455325+00
\.


--
-- Data for Name: makegood_node; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_node (node, lanes, seen_at) FROM stdin;
\.


--
-- Data for Name: makegood_outbox; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_outbox (sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at) FROM stdin;
\.


--
-- Data for Name: makegood_outbox_kept; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_outbox_kept (sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at) FROM stdin;
\.


--
-- Data for Name: makegood_outbox_parked; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_outbox_parked (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at, owner, error_code, last_error, story, parked_at, changed_at, event_id, answered) FROM stdin;
\.


--
-- Data for Name: makegood_outbox_request; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_outbox_request (id, kind, sequence, destination, operator, reason, tenant_id, until, document, created_at, done_at, result) FROM stdin;
1	configure	0		anonymous			0	{"destinations":[{"name":"http:shop","settings":"{\\"url\\":\\"http://127.0.0.1:35365/\\"}","in_flight_max":1024,"rate_max":0.0,"timeout_us":30000000,"retry":{"attempts_max":12,"base_us":500000,"factor":2.0,"jitter":0.3,"cap_us":300000000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"ordering":"block","circuit_failures_max":5,"circuit_wait_min_us":100000,"circuit_wait_max_us":500000}],"removed_destinations":[],"routes":[],"removed_routes":[]}	2026-11-18 10:58:39.822753+00	2026-11-18 10:58:39.851051+00	done
\.


--
-- Data for Name: makegood_outbox_route; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_outbox_route (version, from_sequence, at, owner, document, is_retired) FROM stdin;
1	0	2026-11-18 10:58:39.748161+00	01M7Q4Y2EXT8GNSBD2R9F5A0TC	{"routes":[],"destinations":[]}	f
2	0	2026-11-18 10:58:39.851051+00	01M7Q4Y2EXT8GNSBD2R9F5A0TC	{"routes":[],"destinations":[{"name":"http:shop","settings":"{\\"url\\":\\"http://127.0.0.1:35365/\\"}","in_flight_max":1024,"rate_max":0.0,"timeout_us":30000000,"retry":{"attempts_max":12,"base_us":500000,"factor":2.0,"jitter":0.3,"cap_us":300000000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"ordering":"block","circuit_failures_max":5,"circuit_wait_min_us":100000,"circuit_wait_max_us":500000}]}	f
\.


--
-- Data for Name: makegood_outbox_turn; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_outbox_turn (lane, turn, owner, at, lease_until, reached, settled, "position", is_taking, anchor, anchor_event, counter, cleaned, stopped) FROM stdin;
0	1	01M7Q4Y2EXT8GNSBD2R9F5A0TC	2026-11-18 10:58:39.715753+00	2026-11-18 10:58:41.715753+00	0	0	{"reached":0,"open":[],"under_way":{}}	t	0		0	0	
0	2	01M7Q4Y2EXT8GNSBD2R9F5A0TC	2026-11-18 10:58:39.748161+00	2026-11-18 10:58:41.748161+00	0	0	{"reached":0,"open":[],"under_way":{},"clock_us":1794999519733198}	f	0		0	0	
0	3	01M7Q4Y2EXT8GNSBD2R9F5A0TC	2026-11-18 10:58:39.851051+00	2026-11-18 10:58:41.851051+00	0	0	{"reached":0,"open":[],"under_way":{},"clock_us":1794999519850769}	f	0		0	0	
0	4	01M7Q4Y2EXT8GNSBD2R9F5A0TC	2026-11-18 10:58:40.517861+00	2026-11-18 10:58:42.517861+00	0	0	{"reached":0,"open":[],"under_way":{},"clock_us":1794999520517652}	f	0		0	0	
0	5	01M7Q4Y2EXT8GNSBD2R9F5A0TC	2026-11-18 10:58:41.184606+00	2026-11-18 10:58:43.184606+00	0	0	{"reached":0,"open":[],"under_way":{},"clock_us":1794999521184423}	f	0		0	0	
0	6	01M7Q4Y2EXT8GNSBD2R9F5A0TC	2026-11-18 10:58:41.851603+00	2026-11-18 10:58:43.851603+00	0	0	{"reached":0,"open":[],"under_way":{},"clock_us":1794999521851351}	f	0		0	0	
0	7	01M7Q4Y2EXT8GNSBD2R9F5A0TC	2026-11-18 10:58:42.453974+00	2026-11-18 10:58:42.453974+00	0	0	{"reached":0,"open":[],"under_way":{},"clock_us":1794999522453647}	f	0		0	0	
\.


--
-- Data for Name: makegood_saga; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga (sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at) FROM stdin;
1	01a1ee4f-0aa5-7d89-9f79-e174fecd4976	default	makegood.saga.define	\N	0	{"name":"well","version":1}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:39.910541+00	\N	\N
2	01a1ee4f-0ad4-7319-9e84-b9b37ecbb57f	default	makegood.saga.define	\N	0	{"name":"undone","version":1}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:39.957314+00	\N	\N
3	01a1ee4f-0ade-78c0-b7bf-f7d633f5a904	default	makegood.saga.define	\N	0	{"name":"waits","version":1}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:39.96615+00	\N	\N
4	01a1ee4f-0ae0-7a8e-ad2a-d1f9277e79b3	default	makegood.saga.define	\N	0	{"name":"retries","version":1}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:39.968812+00	\N	\N
5	01a1ee4f-0ae2-7c64-a05c-f0debfe01a60	default	makegood.saga.define	\N	0	{"name":"asks","version":1}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:39.970972+00	\N	\N
6	well	default	well	\N	0	{"cents": 100}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:39.972967+00	\N	\N
7	undone	default	undone	\N	0	{"cents": 100}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:42.00677+00	\N	\N
8	retries	default	retries	\N	0	{"cents": 100}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:42.127841+00	\N	\N
9	waits	default	waits	\N	0	{"cents": 100}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:42.186914+00	\N	\N
10	asks	default	asks	\N	0	{"cents": 100}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:42.246482+00	\N	\N
11	nobody	default	nobody	\N	0	{}	\N	\N	\N	\N	\N	\N	2026-11-18 10:58:42.368944+00	\N	\N
\.


--
-- Data for Name: makegood_saga_definition; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_definition (name, version, document, source, created_at) FROM stdin;
well	1	{"name":"well","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","output":"{\\"payment\\":\\"${charge.payment}\\"}","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}}]}	{"name":"well","output":{"payment":"${charge.payment}"},"steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}}]}	2026-11-18 10:58:39.909561+00
undone	1	{"name":"undone","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":1,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":300000000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}}]}	{"name":"undone","steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","attempts_max":1}}]}	2026-11-18 10:58:39.956488+00
waits	1	{"name":"waits","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":3600000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":2,"name":"ship","action":{"uri":"http:shop/ship"},"compensation":{"uri":"http:shop/undo-ship"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}}]}	{"name":"waits","steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1h","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"ship","action":"http:shop/ship","compensation":"http:shop/undo-ship","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}}]}	2026-11-18 10:58:39.965972+00
retries	1	{"name":"retries","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":10000000,"factor":2.0,"jitter":0.3,"cap_us":10000000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}}]}	{"name":"retries","steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1s","compensation_timeout":"1s","retry":{"base":"10s","cap":"10s"}}]}	2026-11-18 10:58:39.968651+00
asks	1	{"name":"asks","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[{"code":"RISK","action":"manual","retries":0,"reason":"needs review"}],"outcomes":{}}]}	{"name":"asks","steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"},"on_failure":{"RISK":{"manual":"needs review"}}}]}	2026-11-18 10:58:39.970833+00
\.


--
-- Data for Name: makegood_saga_end; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_end (execution, tenant_id, id, definition, version, state, step, code, error, started_at, ended_at, revision, output, open) FROM stdin;
6	default	well	well	1	completed				2026-11-18 10:58:39.976089+00	2026-11-18 10:58:41.988816+00	4	{"payment":"p-1"}	
7	default	undone	undone	1	compensated	charge	HTTP.500	http://127.0.0.1:35365/charge: answered 500 Internal Server Error	2026-11-18 10:58:42.010441+00	2026-11-18 10:58:42.114311+00	5		
11	default	nobody	nobody	0	failed		SAGA.NO_DEFINITION	There is no definition of this name; apply it, then retry the execution.	2026-11-18 10:58:42.384291+00	2026-11-18 10:58:42.384747+00	1		
\.


--
-- Data for Name: makegood_saga_journal; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_journal (execution, revision, records) FROM stdin;
6	1	\\x5b7b226b696e64223a22626567756e222c226174223a313739343939393531393937363038392c2276657273696f6e223a317d5d
6	2	\\x5b7b226b696e64223a2273746172746564222c226174223a313739343939393532313937393535382c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532323937393535387d5d
6	3	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532313938343430342c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22626f6479223a227b7d227d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532313938343430342c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532323938343430347d5d
6	4	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532313938373132312c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a312c22626f6479223a227b5c227061796d656e745c223a205c22702d315c227d227d2c7b226b696e64223a22656e646564222c226174223a313739343939393532313938373132312c227374617465223a22636f6d706c65746564222c22626f6479223a227b5c227061796d656e745c223a5c22702d315c227d227d5d
7	1	\\x5b7b226b696e64223a22626567756e222c226174223a313739343939393532323031303434312c2276657273696f6e223a317d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323031303434312c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532333031303434317d5d
7	2	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532323035363437372c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22626f6479223a227b7d227d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323035363437372c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532333035363437377d5d
7	3	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532323036363932312c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a312c226f7574636f6d65223a22756e6b6e6f776e222c22756e74696c223a313739343939393532323131363932312c22636f6465223a22485454502e353030222c226572726f72223a22687474703a2f2f3132372e302e302e313a33353336352f6368617267653a20616e7377657265642035303020496e7465726e616c20536572766572204572726f72227d2c7b226b696e64223a227475726e65645f6261636b222c226174223a313739343939393532323036363932312c2273746570223a22636861726765222c22636f6465223a22485454502e353030222c226572726f72223a22687474703a2f2f3132372e302e302e313a33353336352f6368617267653a20616e7377657265642035303020496e7465726e616c20536572766572204572726f72227d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323036363932312c2273746570223a22636861726765222c22646972656374696f6e223a22636f6d70656e736174696f6e222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532333036363932312c22626f6479223a227b5c22696e7075745c223a7b5c2263656e74735c223a203130307d2c5c226f75747075745c223a6e756c6c7d227d5d
7	4	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532323131323233312c2273746570223a22636861726765222c22646972656374696f6e223a22636f6d70656e736174696f6e222c22726f756e64223a312c22617474656d7074223a312c22626f6479223a227b7d227d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323131323233312c2273746570223a2272657365727665222c22646972656374696f6e223a22636f6d70656e736174696f6e222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532333131323233312c22626f6479223a227b5c22696e7075745c223a7b5c2263656e74735c223a203130307d2c5c226f75747075745c223a7b7d7d227d5d
7	5	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532323131343037392c2273746570223a2272657365727665222c22646972656374696f6e223a22636f6d70656e736174696f6e222c22726f756e64223a312c22617474656d7074223a312c22626f6479223a227b7d227d2c7b226b696e64223a22656e646564222c226174223a313739343939393532323131343037392c227374617465223a22636f6d70656e7361746564227d5d
8	1	\\x5b7b226b696e64223a22626567756e222c226174223a313739343939393532323133303438332c2276657273696f6e223a317d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323133303438332c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532333133303438337d5d
8	2	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532323137363234382c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22626f6479223a227b7d227d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323137363234382c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532333137363234387d5d
8	3	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532323137383034392c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a312c226f7574636f6d65223a22756e6b6e6f776e222c22756e74696c223a313739343939393533323137383034392c22636f6465223a22485454502e353030222c226572726f72223a22687474703a2f2f3132372e302e302e313a33353336352f6368617267653a20616e7377657265642035303020496e7465726e616c20536572766572204572726f72227d5d
9	1	\\x5b7b226b696e64223a22626567756e222c226174223a313739343939393532323138393937372c2276657273696f6e223a317d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323138393937372c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532333138393937377d5d
9	2	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532323233373931322c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22626f6479223a227b7d227d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323233373931322c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739353030333132323233373931327d5d
9	3	\\x5b7b226b696e64223a226163636570746564222c226174223a313739343939393532323234303335362c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a317d5d
10	1	\\x5b7b226b696e64223a22626567756e222c226174223a313739343939393532323234373036382c2276657273696f6e223a317d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323234373036382c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532333234373036387d5d
10	2	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532323239323230352c2273746570223a2272657365727665222c22726f756e64223a312c22617474656d7074223a312c22626f6479223a227b7d227d2c7b226b696e64223a2273746172746564222c226174223a313739343939393532323239323230352c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a312c22756e74696c223a313739343939393532333239323230357d5d
10	3	\\x5b7b226b696e64223a22616e737765726564222c226174223a313739343939393532323239353932352c2273746570223a22636861726765222c22726f756e64223a312c22617474656d7074223a312c226f7574636f6d65223a226661696c222c22756e74696c223a313739343939393532323334353932352c22636f6465223a225249534b222c226572726f72223a22687474703a2f2f3132372e302e302e313a33353336352f6368617267653a20616e7377657265642034323220556e70726f6365737361626c6520436f6e74656e74227d2c7b226b696e64223a22746f5f6d616e75616c222c226174223a313739343939393532323239353932352c2273746570223a22636861726765222c22636f6465223a225249534b222c226572726f72223a22687474703a2f2f3132372e302e302e313a33353336352f6368617267653a20616e7377657265642034323220556e70726f6365737361626c6520436f6e74656e74222c22726561736f6e223a226e6565647320726576696577227d5d
11	1	\\x5b7b226b696e64223a22626567756e222c226174223a313739343939393532323338343239317d2c7b226b696e64223a22656e646564222c226174223a313739343939393532323338343239312c22636f6465223a22534147412e4e4f5f444546494e4954494f4e222c226572726f72223a225468657265206973206e6f20646566696e6974696f6e206f662074686973206e616d653b206170706c792069742c207468656e2072657472792074686520657865637574696f6e2e222c227374617465223a226661696c6564227d5d
\.


--
-- Data for Name: makegood_saga_kept; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_kept (sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id, traceparent, tracestate, created_at, available_at, expires_at) FROM stdin;
\.


--
-- Data for Name: makegood_saga_parked; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_parked (sequence, destination, tenant_id, dispatch_key, slot, state, blocks, attempts, deaths, due_at, owner, error_code, last_error, story, parked_at, changed_at, event_id, answered) FROM stdin;
\.


--
-- Data for Name: makegood_saga_request; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_request (id, kind, sequence, destination, operator, reason, tenant_id, until, document, created_at, done_at, result) FROM stdin;
\.


--
-- Data for Name: makegood_saga_route; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_route (version, from_sequence, at, owner, document, is_retired) FROM stdin;
\.


--
-- Data for Name: makegood_saga_secret; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_secret (callback_key) FROM stdin;
3f58e8128c1e4fa08553ef3d03cf5916134a7649afcf4a8fbe946f3042c582cd
\.


--
-- Data for Name: makegood_saga_turn; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_turn (lane, turn, owner, at, lease_until, reached, settled, "position", is_taking, anchor, anchor_event, counter, cleaned, stopped) FROM stdin;
0	1	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:39.788716+00	2026-11-18 10:58:41.788716+00	0	0	{"reached":0,"open":[],"under_way":{}}	t	0		0	0	
0	2	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:39.919185+00	2026-11-18 10:58:41.919185+00	1	1	{"reached":1,"open":[],"under_way":{},"clock_us":1794999519918236}	f	1	01a1ee4f-0aa5-7d89-9f79-e174fecd4976	1	0	
0	3	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:39.976831+00	2026-11-18 10:58:41.976831+00	6	5	{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999519976089}	f	6	well	6	0	
0	4	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:40.643228+00	2026-11-18 10:58:42.643228+00	6	5	{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999520642977}	f	6	well	6	0	
0	5	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:41.310248+00	2026-11-18 10:58:43.310248+00	6	5	{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999521309897}	f	6	well	6	0	
0	6	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:41.97996+00	2026-11-18 10:58:43.97996+00	6	5	{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999521979558}	f	6	well	6	0	
0	7	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:41.984836+00	2026-11-18 10:58:43.984836+00	6	5	{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999521984404}	f	6	well	6	0	
0	8	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:41.988816+00	2026-11-18 10:58:43.988816+00	6	6	{"reached":6,"open":[],"under_way":{},"clock_us":1794999521987121}	f	6	well	6	0	
0	9	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.010903+00	2026-11-18 10:58:44.010903+00	7	6	{"reached":7,"open":[],"under_way":{"saga":[7,1]},"clock_us":1794999522010441}	f	7	undone	7	0	
0	10	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.059624+00	2026-11-18 10:58:44.059624+00	7	6	{"reached":7,"open":[],"under_way":{"saga":[7,1]},"clock_us":1794999522056477}	f	7	undone	7	0	
0	11	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.067241+00	2026-11-18 10:58:44.067241+00	7	6	{"reached":7,"open":[],"under_way":{"saga":[7,1]},"clock_us":1794999522066921}	f	7	undone	7	0	
0	12	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.112534+00	2026-11-18 10:58:44.112534+00	7	6	{"reached":7,"open":[],"under_way":{"saga":[7,1]},"clock_us":1794999522112231}	f	7	undone	7	0	
0	13	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.114311+00	2026-11-18 10:58:44.114311+00	7	7	{"reached":7,"open":[],"under_way":{},"clock_us":1794999522114079}	f	7	undone	7	0	
0	14	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.131203+00	2026-11-18 10:58:44.131203+00	8	7	{"reached":8,"open":[],"under_way":{"saga":[8,1]},"clock_us":1794999522130483}	f	8	retries	8	0	
0	15	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.176545+00	2026-11-18 10:58:44.176545+00	8	7	{"reached":8,"open":[],"under_way":{"saga":[8,1]},"clock_us":1794999522176248}	f	8	retries	8	0	
0	16	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.178314+00	2026-11-18 10:58:44.178314+00	8	8	{"reached":8,"open":[],"under_way":{},"clock_us":1794999522178049}	f	8	retries	8	0	
0	17	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.190642+00	2026-11-18 10:58:44.190642+00	9	8	{"reached":9,"open":[],"under_way":{"saga":[9,1]},"clock_us":1794999522189977}	f	9	waits	9	0	
0	18	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.238305+00	2026-11-18 10:58:44.238305+00	9	8	{"reached":9,"open":[],"under_way":{"saga":[9,1]},"clock_us":1794999522237912}	f	9	waits	9	0	
0	19	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.240672+00	2026-11-18 10:58:44.240672+00	9	9	{"reached":9,"open":[],"under_way":{},"clock_us":1794999522240356}	f	9	waits	9	0	
0	20	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.2482+00	2026-11-18 10:58:44.2482+00	10	9	{"reached":10,"open":[],"under_way":{"saga":[10,1]},"clock_us":1794999522247068}	f	10	asks	10	0	
0	21	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.292638+00	2026-11-18 10:58:44.292638+00	10	9	{"reached":10,"open":[],"under_way":{"saga":[10,1]},"clock_us":1794999522292205}	f	10	asks	10	0	
0	22	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.300556+00	2026-11-18 10:58:44.300556+00	10	10	{"reached":10,"open":[],"under_way":{},"clock_us":1794999522295925}	f	10	asks	10	0	
0	23	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.384747+00	2026-11-18 10:58:44.384747+00	11	11	{"reached":11,"open":[],"under_way":{},"clock_us":1794999522384291}	f	11	nobody	11	0	
0	24	01M7Q4Y2GRD3S9H6FBE6BP03X1	2026-11-18 10:58:42.451975+00	2026-11-18 10:58:42.451975+00	11	11	{"reached":11,"open":[],"under_way":{},"clock_us":1794999522451196}	f	11	nobody	11	0	
\.


--
-- Data for Name: makegood_saga_waiting; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_saga_waiting (execution, tenant_id, id, definition, version, state, waits_for, step, code, error, started_at, due_at) FROM stdin;
8	default	retries	retries	1	waiting	retry	charge			2026-11-18 10:58:42.130483+00	2026-11-18 10:58:52.178049+00
9	default	waits	waits	1	waiting	callback	charge			2026-11-18 10:58:42.189977+00	2026-11-18 11:58:42.237912+00
10	default	asks	asks	1	manual		charge	RISK	http://127.0.0.1:35365/charge: answered 422 Unprocessable Content	2026-11-18 10:58:42.247068+00	\N
\.


--
-- Data for Name: makegood_store; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.makegood_store (id, system, timeline, database, environment, places, logs) FROM stdin;
1	7709457852553750451	1	25856	\N	[{"host": "127.0.0.1", "port": "30802", "machine": "", "database": "test_f7713c0001b0"}]	{"makegood_saga": {"log": 25984, "number": 25983}, "makegood_outbox": {"log": 25881, "number": 25880}}
\.


--
-- Name: makegood_outbox_number; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.makegood_outbox_number', 1, false);


--
-- Name: makegood_outbox_request_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.makegood_outbox_request_id_seq', 1, true);


--
-- Name: makegood_saga_number; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.makegood_saga_number', 11, true);


--
-- Name: makegood_saga_request_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.makegood_saga_request_id_seq', 1, false);


--
-- Name: makegood_migration makegood_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_migration
    ADD CONSTRAINT makegood_migration_pkey PRIMARY KEY (outbox, number);


--
-- Name: makegood_node makegood_node_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_node
    ADD CONSTRAINT makegood_node_pkey PRIMARY KEY (node);


--
-- Name: makegood_outbox makegood_outbox_event; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_outbox
    ADD CONSTRAINT makegood_outbox_event UNIQUE (tenant_id, event_id);


--
-- Name: makegood_outbox_kept makegood_outbox_kept_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_outbox_kept
    ADD CONSTRAINT makegood_outbox_kept_pkey PRIMARY KEY (sequence, event_id);


--
-- Name: makegood_outbox_parked makegood_outbox_parked_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_outbox_parked
    ADD CONSTRAINT makegood_outbox_parked_pkey PRIMARY KEY (sequence, destination, event_id);


--
-- Name: makegood_outbox makegood_outbox_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_outbox
    ADD CONSTRAINT makegood_outbox_pkey PRIMARY KEY (sequence);


--
-- Name: makegood_outbox_request makegood_outbox_request_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_outbox_request
    ADD CONSTRAINT makegood_outbox_request_pkey PRIMARY KEY (id);


--
-- Name: makegood_outbox_route makegood_outbox_route_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_outbox_route
    ADD CONSTRAINT makegood_outbox_route_pkey PRIMARY KEY (version);


--
-- Name: makegood_outbox_turn makegood_outbox_turn_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_outbox_turn
    ADD CONSTRAINT makegood_outbox_turn_pkey PRIMARY KEY (lane, turn);


--
-- Name: makegood_saga_definition makegood_saga_definition_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga_definition
    ADD CONSTRAINT makegood_saga_definition_pkey PRIMARY KEY (name, version);


--
-- Name: makegood_saga_end makegood_saga_end_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga_end
    ADD CONSTRAINT makegood_saga_end_pkey PRIMARY KEY (execution);


--
-- Name: makegood_saga makegood_saga_event; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga
    ADD CONSTRAINT makegood_saga_event UNIQUE (tenant_id, event_id);


--
-- Name: makegood_saga_journal makegood_saga_journal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga_journal
    ADD CONSTRAINT makegood_saga_journal_pkey PRIMARY KEY (execution, revision);


--
-- Name: makegood_saga_kept makegood_saga_kept_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga_kept
    ADD CONSTRAINT makegood_saga_kept_pkey PRIMARY KEY (sequence, event_id);


--
-- Name: makegood_saga_parked makegood_saga_parked_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga_parked
    ADD CONSTRAINT makegood_saga_parked_pkey PRIMARY KEY (sequence, destination, event_id);


--
-- Name: makegood_saga makegood_saga_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga
    ADD CONSTRAINT makegood_saga_pkey PRIMARY KEY (sequence);


--
-- Name: makegood_saga_request makegood_saga_request_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga_request
    ADD CONSTRAINT makegood_saga_request_pkey PRIMARY KEY (id);


--
-- Name: makegood_saga_route makegood_saga_route_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga_route
    ADD CONSTRAINT makegood_saga_route_pkey PRIMARY KEY (version);


--
-- Name: makegood_saga_turn makegood_saga_turn_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga_turn
    ADD CONSTRAINT makegood_saga_turn_pkey PRIMARY KEY (lane, turn);


--
-- Name: makegood_saga_waiting makegood_saga_waiting_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_saga_waiting
    ADD CONSTRAINT makegood_saga_waiting_pkey PRIMARY KEY (execution);


--
-- Name: makegood_store makegood_store_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.makegood_store
    ADD CONSTRAINT makegood_store_pkey PRIMARY KEY (id);


--
-- Name: makegood_outbox_kept_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_outbox_kept_event ON public.makegood_outbox_kept USING btree (event_id);


--
-- Name: makegood_outbox_parked_blocks; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_outbox_parked_blocks ON public.makegood_outbox_parked USING btree (tenant_id, dispatch_key, destination, sequence) WHERE blocks;


--
-- Name: makegood_outbox_parked_count; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_outbox_parked_count ON public.makegood_outbox_parked USING btree (destination, state, attempts, sequence) WHERE ((state = 'held'::text) OR ((state = 'waiting'::text) AND (attempts > 0)));


--
-- Name: makegood_outbox_parked_dead; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_outbox_parked_dead ON public.makegood_outbox_parked USING btree (sequence, destination, tenant_id, error_code, state, changed_at) WHERE (state = ANY (ARRAY['dead'::text, 'quarantined'::text]));


--
-- Name: makegood_outbox_parked_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_outbox_parked_due ON public.makegood_outbox_parked USING btree (destination, due_at, sequence, tenant_id, owner) WHERE (state = 'waiting'::text);


--
-- Name: makegood_outbox_parked_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_outbox_parked_ended ON public.makegood_outbox_parked USING btree (state, changed_at) WHERE ((state = 'done'::text) OR (state = 'dead'::text));


--
-- Name: makegood_outbox_request_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_outbox_request_open ON public.makegood_outbox_request USING btree (id) WHERE (done_at IS NULL);


--
-- Name: makegood_outbox_request_sequence; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_outbox_request_sequence ON public.makegood_outbox_request USING btree (sequence) WHERE (sequence > 0);


--
-- Name: makegood_outbox_turn_settled; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_outbox_turn_settled ON public.makegood_outbox_turn USING btree (lane, settled, turn);


--
-- Name: makegood_saga_end_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_end_state ON public.makegood_saga_end USING btree (state, execution, definition) WHERE (state <> 'completed'::text);


--
-- Name: makegood_saga_kept_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_kept_event ON public.makegood_saga_kept USING btree (event_id);


--
-- Name: makegood_saga_parked_blocks; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_parked_blocks ON public.makegood_saga_parked USING btree (tenant_id, dispatch_key, destination, sequence) WHERE blocks;


--
-- Name: makegood_saga_parked_count; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_parked_count ON public.makegood_saga_parked USING btree (destination, state, attempts, sequence) WHERE ((state = 'held'::text) OR ((state = 'waiting'::text) AND (attempts > 0)));


--
-- Name: makegood_saga_parked_dead; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_parked_dead ON public.makegood_saga_parked USING btree (sequence, destination, tenant_id, error_code, state, changed_at) WHERE (state = ANY (ARRAY['dead'::text, 'quarantined'::text]));


--
-- Name: makegood_saga_parked_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_parked_due ON public.makegood_saga_parked USING btree (destination, due_at, sequence, tenant_id, owner) WHERE (state = 'waiting'::text);


--
-- Name: makegood_saga_parked_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_parked_ended ON public.makegood_saga_parked USING btree (state, changed_at) WHERE ((state = 'done'::text) OR (state = 'dead'::text));


--
-- Name: makegood_saga_request_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_request_open ON public.makegood_saga_request USING btree (id) WHERE (done_at IS NULL);


--
-- Name: makegood_saga_request_sequence; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_request_sequence ON public.makegood_saga_request USING btree (sequence) WHERE (sequence > 0);


--
-- Name: makegood_saga_turn_settled; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_turn_settled ON public.makegood_saga_turn USING btree (lane, settled, turn);


--
-- Name: makegood_saga_waiting_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX makegood_saga_waiting_due ON public.makegood_saga_waiting USING btree (due_at, execution) WHERE (due_at IS NOT NULL);


--
-- Name: makegood_outbox makegood_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER makegood_immutable BEFORE UPDATE ON public.makegood_outbox FOR EACH STATEMENT EXECUTE FUNCTION public.makegood_refuse_update();


--
-- Name: makegood_saga makegood_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER makegood_immutable BEFORE UPDATE ON public.makegood_saga FOR EACH STATEMENT EXECUTE FUNCTION public.makegood_refuse_update();


--
-- Name: makegood_outbox makegood_needed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER makegood_needed AFTER DELETE ON public.makegood_outbox REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.makegood_refuse_delete();


--
-- Name: makegood_saga makegood_needed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER makegood_needed AFTER DELETE ON public.makegood_saga REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.makegood_refuse_delete();


--
-- Name: makegood_outbox makegood_no_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER makegood_no_truncate BEFORE TRUNCATE ON public.makegood_outbox FOR EACH STATEMENT EXECUTE FUNCTION public.makegood_refuse_truncate();


--
-- Name: makegood_saga makegood_no_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER makegood_no_truncate BEFORE TRUNCATE ON public.makegood_saga FOR EACH STATEMENT EXECUTE FUNCTION public.makegood_refuse_truncate();


--
-- Name: makegood_saga makegood_waits; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER makegood_waits AFTER DELETE ON public.makegood_saga REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.makegood_refuse_delete_of_waiting();


--
-- PostgreSQL database dump complete
--


