-- Of several messages; without the stories.
SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths, changed_at
FROM {outbox}_parked WHERE sequence = ANY($1)
