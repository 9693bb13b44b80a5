SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths
FROM {outbox}_parked WHERE blocks ORDER BY sequence, destination
