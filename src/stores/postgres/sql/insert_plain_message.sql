-- As insert_new_message, for a message that has no more than this.
INSERT INTO {outbox} (event_id, tenant_id, topic, dispatch_key, payload, headers, created_at)
VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, clock_timestamp()))
RETURNING sequence
