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
