-- As insert_new_messages, for messages that have no more than this: each column of `unnest` costs a twentieth of a row.
INSERT INTO {outbox} (event_id, tenant_id, topic, dispatch_key, payload, headers, created_at)
SELECT event_id, tenant_id, topic, dispatch_key, payload, headers, coalesce($7, clock_timestamp())
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::json[], $6::json[])
  AS m (event_id, tenant_id, topic, dispatch_key, payload, headers)
RETURNING sequence
