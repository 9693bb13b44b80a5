-- name: read_counter
-- The last number that was drawn; whether the sequence has another file than its last owner has recorded (it was altered or restarted);
-- the highest number of the log. The counter is not bound to the snapshot: no visible row that was numbered by it lies above.
SELECT CASE WHEN is_called THEN last_value ELSE 0 END,
       (SELECT logs -> {text} ->> 'number' = number.tableoid::text
               AND nullif(logs -> {text} ->> 'number_file', '0') <> pg_relation_filenode(number.tableoid)::text
        FROM {schema}makegood_store WHERE id = 1)::integer,
       (SELECT max(sequence) FROM {outbox})
FROM {outbox}_number AS number

-- name: first_pending
SELECT created_at FROM {outbox} WHERE sequence > $1 ORDER BY sequence LIMIT 1

-- name: count_waiting
SELECT destination, count(*), count(owner), min(sequence) FROM {outbox}_parked WHERE state = 'waiting'
GROUP BY destination

-- name: count_held
SELECT destination, count(*), min(sequence) FROM {outbox}_parked WHERE state = 'held' GROUP BY destination

-- name: count_dead
SELECT destination, state, count(*) FROM {outbox}_parked WHERE state IN ('dead', 'quarantined')
GROUP BY destination, state
