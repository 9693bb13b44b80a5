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
