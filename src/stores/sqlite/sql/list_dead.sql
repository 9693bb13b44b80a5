SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths,
       coalesce(m.topic, k.topic), coalesce(m.event_id, k.event_id), p.changed_at, p.story
FROM "{outbox}_parked" AS p
LEFT JOIN "{outbox}" AS m ON m.sequence = p.sequence
LEFT JOIN "{outbox}_kept" AS k ON k.sequence = p.sequence
WHERE p.state IN ('dead', 'quarantined') AND p.sequence > ?2 AND (?1 = '' OR p.tenant_id = ?1)
ORDER BY p.sequence, p.destination
