SELECT sequence,
       topic = $3 AND coalesce(dispatch_key, '') = $4 AND priority = $5 AND payload::text IS NOT DISTINCT FROM $6::text
         AND body IS NOT DISTINCT FROM $7 AND coalesce(content_type, '') = $8 AND coalesce(headers::text, '') = $9
FROM {outbox} WHERE tenant_id = $2 AND event_id = $1
