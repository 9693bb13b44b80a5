SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths
FROM "{outbox}_parked"
WHERE state = 'waiting' AND destination = ?1 AND (owner IS NULL OR owner <> ?2)
ORDER BY due_at, sequence LIMIT ?3
