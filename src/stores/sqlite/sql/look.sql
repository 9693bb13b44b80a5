-- name: look_heads
-- The counter, the log's end, and what the last turn remembers of both, beside the row that should be its anchor.
SELECT (SELECT seq FROM sqlite_sequence WHERE name = '{outbox}' COLLATE NOCASE),
       (SELECT max(sequence) FROM "{outbox}"),
       last.at, last.turn, last.owner, last.reached, last.anchor, last.anchor_event, last.counter, last.cleaned, last.stopped,
       (SELECT event_id FROM "{outbox}" WHERE sequence = last.anchor)
FROM (SELECT 1)
LEFT JOIN (SELECT at, turn, owner, reached, anchor, anchor_event, counter, cleaned, stopped
           FROM "{outbox}_turn" WHERE lane = ?1 ORDER BY turn DESC LIMIT 1) AS last

-- name: read_beyond
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at
FROM "{outbox}" WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence LIMIT ?3

-- name: pass_beyond
-- ?3 at most. The columns that a filter asks about, and no more: what is passed is not read. They are the first of read_beyond, too.
SELECT sequence, tenant_id, topic, dispatch_key, priority
FROM "{outbox}" WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence LIMIT ?3

-- name: read_number
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at
FROM "{outbox}" WHERE sequence = ?1

-- name: read_kept
SELECT sequence, tenant_id, topic, dispatch_key, priority, event_id, payload, body, content_type, headers, envelope_id,
       traceparent, tracestate, created_at, available_at, expires_at
FROM "{outbox}_kept" WHERE sequence = ?1 AND (?2 = '' OR event_id = ?2)

-- name: has_open_story
-- Of whoever has the number now: what is not done there; or what is put away for all destinations, or about to be led anew.
SELECT EXISTS (SELECT 1 FROM "{outbox}_parked"
               WHERE sequence = ?1 AND event_id = (SELECT event_id FROM "{outbox}" WHERE sequence = ?1)
                 AND ((destination = ?2 AND state <> 'done')
                   OR (destination = '-' AND (state IN ('waiting', 'quarantined') OR error_code = 'TX.CANCELLED'))))

-- name: first_row
SELECT coalesce(min(sequence), 0) FROM "{outbox}"

-- name: read_waiting
SELECT sequence, destination, tenant_id, dispatch_key, state, blocks, attempts, due_at, owner, error_code, last_error,
       deaths, answered, event_id, replay
FROM "{outbox}_parked"
WHERE state = 'waiting' AND destination = ?1 AND (owner IS NULL OR owner <> ?2)
ORDER BY due_at, sequence LIMIT ?3

-- name: read_waiting_without
-- As read_waiting, without some tenants (a JSON array). Theirs are passed on the index alone, however many there are.
SELECT p.sequence, p.destination, p.tenant_id, p.dispatch_key, p.state, p.blocks, p.attempts, p.due_at, p.owner,
       p.error_code, p.last_error, p.deaths, p.answered, p.event_id, p.replay
FROM "{outbox}_parked" AS due CROSS JOIN "{outbox}_parked" AS p
  ON p.sequence = due.sequence AND p.destination = due.destination AND p.event_id = due.event_id
WHERE due.state = 'waiting' AND due.destination = ?1 AND due.tenant_id NOT IN (SELECT value FROM json_each(?4))
  AND (p.owner IS NULL OR p.owner <> ?2)
ORDER BY due.due_at, due.sequence LIMIT ?3

-- name: data_version
PRAGMA data_version
