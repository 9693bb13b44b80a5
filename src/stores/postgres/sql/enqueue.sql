-- name: insert_message
INSERT INTO {outbox} (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
                      traceparent, tracestate, created_at, available_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($13, clock_timestamp()), $14, $15)
ON CONFLICT (tenant_id, event_id) DO NOTHING
RETURNING sequence

-- name: insert_new_message
-- As insert_message, for an event id that nobody else can have: without the look for it, which costs as much as the row.
INSERT INTO {outbox} (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
                      traceparent, tracestate, created_at, available_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($13, clock_timestamp()), $14, $15)
RETURNING sequence

-- name: insert_plain_message
-- As insert_new_message, for a message that has no more than this.
INSERT INTO {outbox} (event_id, tenant_id, topic, dispatch_key, payload, headers, created_at)
VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, clock_timestamp()))
RETURNING sequence

-- name: insert_messages
-- Numbered in the order of the arrays, and answered in it; what is there already is left out.
INSERT INTO {outbox} (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
                      traceparent, tracestate, created_at, available_at, expires_at)
SELECT event_id, tenant_id, topic, dispatch_key, coalesce(priority, 0), payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, coalesce($13, clock_timestamp()), available_at, expires_at
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::json[], $7::bytea[], $8::text[], $9::json[],
            $10::text[], $11::text[], $12::text[], $14::timestamptz[], $15::timestamptz[])
  AS m (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id, traceparent,
        tracestate, available_at, expires_at)
ON CONFLICT (tenant_id, event_id) DO NOTHING
RETURNING sequence, event_id, tenant_id

-- name: insert_new_messages
-- As insert_messages, for event ids that nobody else can have: without the look for each, which costs as much as the row.
INSERT INTO {outbox} (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
                      traceparent, tracestate, created_at, available_at, expires_at)
SELECT event_id, tenant_id, topic, dispatch_key, coalesce(priority, 0), payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, coalesce($13, clock_timestamp()), available_at, expires_at
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::json[], $7::bytea[], $8::text[], $9::json[],
            $10::text[], $11::text[], $12::text[], $14::timestamptz[], $15::timestamptz[])
  AS m (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id, traceparent,
        tracestate, available_at, expires_at)
RETURNING sequence

-- name: insert_plain_messages
-- As insert_new_messages, for messages that have no more than this: each column of `unnest` costs a twentieth of a row.
INSERT INTO {outbox} (event_id, tenant_id, topic, dispatch_key, payload, headers, created_at)
SELECT event_id, tenant_id, topic, dispatch_key, payload, headers, coalesce($7, clock_timestamp())
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::json[], $6::json[])
  AS m (event_id, tenant_id, topic, dispatch_key, payload, headers)
RETURNING sequence

-- name: find_event
SELECT sequence,
       topic = $3 AND coalesce(dispatch_key, '') = $4 AND priority = $5 AND payload::text IS NOT DISTINCT FROM $6::text
         AND body IS NOT DISTINCT FROM $7 AND coalesce(content_type, '') = $8 AND coalesce(headers::text, '') = $9
FROM {outbox} WHERE tenant_id = $2 AND event_id = $1

-- name: lock_key
-- Whoever enqueues for the same key waits here until the other's transaction has ended, and draws its number after it.
SELECT pg_advisory_xact_lock(hashtextextended($1 || chr(31) || $2, hashtext({text})))::text

-- name: doom
DO $$ BEGIN
  RAISE EXCEPTION 'A message could not be enqueued, so this transaction cannot be committed.' USING ERRCODE = 'MG002';
END $$
