-- name: migration_0002_enqueue
-- Enqueue by a function call: answers the number, and whether the same event was there already. The same event id with another
-- content is refused. With ordered => true whoever enqueues for the same key waits until the other's transaction has ended, so
-- that numbers come in the order of commits.
CREATE FUNCTION {outbox}_enqueue(
  topic text, payload json DEFAULT NULL, body bytea DEFAULT NULL, event_id text DEFAULT NULL, tenant_id text DEFAULT 'default',
  dispatch_key text DEFAULT NULL, priority integer DEFAULT 0, content_type text DEFAULT NULL, headers json DEFAULT NULL,
  envelope_id text DEFAULT NULL, traceparent text DEFAULT NULL, tracestate text DEFAULT NULL,
  available_at timestamptz DEFAULT NULL, expires_at timestamptz DEFAULT NULL, ordered boolean DEFAULT false,
  OUT sequence bigint, OUT was_there boolean
) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  id      text := coalesce(event_id, {schema}makegood_event_id());
  is_same boolean;
BEGIN
  IF ordered AND dispatch_key <> '' THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(tenant_id || chr(31) || dispatch_key, hashtext({text})));
  END IF;
  INSERT INTO {outbox} AS m (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
                             traceparent, tracestate, available_at, expires_at)
  VALUES (id, tenant_id, topic, nullif(dispatch_key, ''), priority, payload, body, content_type, headers, envelope_id,
          traceparent, tracestate, available_at, expires_at)
  ON CONFLICT ON CONSTRAINT {name}_event DO NOTHING RETURNING m.sequence INTO sequence;
  was_there := sequence IS NULL;
  IF NOT was_there THEN
    RETURN;
  END IF;
  SELECT m.sequence,
         m.topic = topic AND coalesce(m.dispatch_key, '') = coalesce(dispatch_key, '') AND m.priority = priority
           AND m.payload::text IS NOT DISTINCT FROM payload::text AND m.body IS NOT DISTINCT FROM body
           AND coalesce(m.content_type, '') = coalesce(content_type, '')
           AND coalesce(m.headers::text, '') = coalesce(headers::text, '')
    INTO sequence, is_same FROM {outbox} AS m WHERE m.tenant_id = tenant_id AND m.event_id = id;
  IF is_same IS NULL THEN
    RAISE EXCEPTION 'The event was there, and was removed at the same moment; try again.' USING ERRCODE = '40001';
  ELSIF NOT is_same THEN
    RAISE EXCEPTION 'This event id was already used for a message with other content.' USING ERRCODE = 'MG003';
  END IF;
END $$;

-- Several at once: a JSON array of objects with the names above, in which a body is written in base64. Answers one row for each,
-- in the same order.
CREATE FUNCTION {outbox}_enqueue_all(messages json, ordered boolean DEFAULT false)
RETURNS TABLE (sequence bigint, was_there boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  m json;
BEGIN
  FOR m IN SELECT value FROM json_array_elements(messages) LOOP
    SELECT e.sequence, e.was_there INTO sequence, was_there FROM {outbox}_enqueue(
      topic => m ->> 'topic', payload => m -> 'payload', body => decode(m ->> 'body', 'base64'), event_id => m ->> 'event_id',
      tenant_id => coalesce(m ->> 'tenant_id', 'default'), dispatch_key => m ->> 'dispatch_key',
      priority => coalesce((m ->> 'priority')::integer, 0), content_type => m ->> 'content_type', headers => m -> 'headers',
      envelope_id => m ->> 'envelope_id', traceparent => m ->> 'traceparent', tracestate => m ->> 'tracestate',
      available_at => (m ->> 'available_at')::timestamptz, expires_at => (m ->> 'expires_at')::timestamptz,
      ordered => ordered) AS e;
    RETURN NEXT;
  END LOOP;
END $$;

-- The same under one name for all outboxes of this database, the default one being makegood_outbox. Left out where the schema
-- makegood cannot be made: the functions above do without it.
DO $do$
BEGIN
  IF to_regnamespace('makegood') IS NULL AND has_database_privilege(current_database(), 'CREATE') THEN
    CREATE SCHEMA makegood;
    GRANT USAGE ON SCHEMA makegood TO PUBLIC;
  END IF;
  -- Who may not look into the schema may not even ask what is in it.
  IF to_regnamespace('makegood') IS NULL OR NOT has_schema_privilege('makegood', 'USAGE')
     OR NOT has_schema_privilege('makegood', 'CREATE') THEN
    RETURN;
  END IF;
  IF to_regproc('makegood.enqueue') IS NOT NULL THEN
    RETURN;
  END IF;
  CREATE FUNCTION makegood.function_of(outbox text, suffix text) RETURNS text LANGUAGE plpgsql STABLE AS $body$
  DECLARE
    parts text[] := parse_ident(outbox);
  BEGIN
    IF cardinality(parts) = 1 THEN
      RETURN quote_ident(parts[1] || suffix);
    END IF;
    RETURN quote_ident(parts[1]) || '.' || quote_ident(parts[2] || suffix);
  END $body$;
  CREATE FUNCTION makegood.enqueue(
    topic text, payload json DEFAULT NULL, body bytea DEFAULT NULL, event_id text DEFAULT NULL, tenant_id text DEFAULT 'default',
    dispatch_key text DEFAULT NULL, priority integer DEFAULT 0, content_type text DEFAULT NULL, headers json DEFAULT NULL,
    envelope_id text DEFAULT NULL, traceparent text DEFAULT NULL, tracestate text DEFAULT NULL,
    available_at timestamptz DEFAULT NULL, expires_at timestamptz DEFAULT NULL, ordered boolean DEFAULT false,
    outbox text DEFAULT 'makegood_outbox', OUT sequence bigint, OUT was_there boolean
  ) LANGUAGE plpgsql AS $body$
  BEGIN
    EXECUTE 'SELECT * FROM ' || makegood.function_of(outbox, '_enqueue')
            || '($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)'
      INTO sequence, was_there
      USING topic, payload, body, event_id, tenant_id, dispatch_key, priority, content_type, headers, envelope_id, traceparent,
            tracestate, available_at, expires_at, ordered;
  END $body$;
  CREATE FUNCTION makegood.enqueue_all(messages json, ordered boolean DEFAULT false, outbox text DEFAULT 'makegood_outbox')
  RETURNS TABLE (sequence bigint, was_there boolean) LANGUAGE plpgsql AS $body$
  BEGIN
    RETURN QUERY EXECUTE 'SELECT * FROM ' || makegood.function_of(outbox, '_enqueue_all') || '($1, $2)' USING messages, ordered;
  END $body$;
END $do$;

-- name: migration_0002_enqueue_down
-- The schema makegood stays: other outboxes use it.
DROP FUNCTION IF EXISTS {outbox}_enqueue_all;
DROP FUNCTION IF EXISTS {outbox}_enqueue;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 2;
