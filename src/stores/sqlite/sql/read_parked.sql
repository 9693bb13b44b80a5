-- Of one message; to one destination, if one is named.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.changed_at, p.story
FROM "{outbox}_parked" AS p
WHERE p.sequence = ?1 AND (?2 = '' OR p.destination = ?2) ORDER BY p.destination
