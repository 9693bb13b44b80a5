-- As insert_message, for an event id that nobody else can have: without the look for it, which costs as much as the row.
INSERT INTO {outbox} (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
                      traceparent, tracestate, created_at, available_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($13, clock_timestamp()), $14, $15)
RETURNING sequence
