-- name: migration_0005_changed_at
-- Several at once, as before; but when they are ordered, all keys are locked first, one after another as the C++ enqueuer
-- does it: two who enqueue for the same keys then never wait for each other.
CREATE OR REPLACE FUNCTION {outbox}_enqueue_all(messages json, ordered boolean DEFAULT false)
RETURNS TABLE (sequence bigint, was_there boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  m json;
  k record;
BEGIN
  IF ordered THEN
    FOR k IN SELECT DISTINCT coalesce(value ->> 'tenant_id', 'default') COLLATE "C" AS tenant,
                             (value ->> 'dispatch_key') COLLATE "C" AS key
             FROM json_array_elements(messages) WHERE value ->> 'dispatch_key' <> '' ORDER BY tenant, key LOOP
      PERFORM pg_advisory_xact_lock(hashtextextended(k.tenant || chr(31) || k.key, hashtext({text})));
    END LOOP;
  END IF;
  FOR m IN SELECT value FROM json_array_elements(messages) LOOP
    SELECT e.sequence, e.was_there INTO sequence, was_there FROM {outbox}_enqueue(
      topic => m ->> 'topic', payload => m -> 'payload', body => decode(m ->> 'body', 'base64'), event_id => m ->> 'event_id',
      tenant_id => coalesce(m ->> 'tenant_id', 'default'), dispatch_key => m ->> 'dispatch_key',
      priority => coalesce((m ->> 'priority')::integer, 0), content_type => m ->> 'content_type', headers => m -> 'headers',
      envelope_id => m ->> 'envelope_id', traceparent => m ->> 'traceparent', tracestate => m ->> 'tracestate',
      available_at => (m ->> 'available_at')::timestamptz, expires_at => (m ->> 'expires_at')::timestamptz) AS e;
    RETURN NEXT;
  END LOOP;
END $$;

-- name: migration_0005_changed_at_down
-- The views and the function stay: they have all that those before had.
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 5;
