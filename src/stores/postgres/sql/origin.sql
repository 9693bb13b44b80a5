-- name: read_incarnation
-- What is recorded, and what this is. A standby that has not taken over tells the timeline that it follows. $1 and $2 are the names of
-- the log and its sequence.
SELECT system, timeline, database, system_identifier,
       CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id::bigint FROM pg_control_checkpoint())
            ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint END,
       (SELECT oid::bigint FROM pg_database WHERE datname = current_database()),
       environment, host(inet_server_addr()) || ':' || inet_server_port(),
       (logs -> {text} ->> 'log')::bigint, (logs -> {text} ->> 'number')::bigint,
       to_regclass($1)::oid::bigint, to_regclass($2)::oid::bigint,
       (logs -> {text} ->> 'number_file')::bigint, pg_relation_filenode(to_regclass($2))::bigint
FROM pg_control_system() LEFT JOIN {schema}makegood_store ON id = 1

-- name: record_incarnation
-- Of the logs only this outbox's, unless others stay ($11): those of an adopted database are recorded by their next owners.
INSERT INTO {schema}makegood_store AS known (id, system, timeline, database, environment, places, logs)
SELECT 1, $1, $2, $3, $4, jsonb_agg(jsonb_build_object('host', host, 'port', port, 'database', name, 'machine', machine)
                                    ORDER BY number),
       jsonb_build_object({text}::text, jsonb_build_object(
         'log', $9::bigint, 'number', $10::bigint, 'number_file', $12::bigint))
FROM unnest($5::text[], $6::text[], $7::text[], $8::text[]) WITH ORDINALITY AS place (host, port, name, machine, number)
ON CONFLICT (id) DO UPDATE SET system = excluded.system, timeline = excluded.timeline, database = excluded.database,
                               environment = excluded.environment, places = excluded.places,
                               logs = CASE WHEN $11 THEN coalesce(known.logs, jsonb_build_object()) || excluded.logs
                                           ELSE excluded.logs END

-- name: read_places
SELECT place ->> 'host', place ->> 'port', place ->> 'database', place ->> 'machine'
FROM {schema}makegood_store, jsonb_array_elements(places) WITH ORDINALITY AS entry (place, number)
WHERE id = 1 ORDER BY number

-- name: take_random_lock
-- Free with the transaction's end. A pooler does not take it to another session before.
WITH drawn AS MATERIALIZED (
  SELECT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint AS key
)
SELECT key, pg_advisory_xact_lock(key) FROM drawn

-- name: sees_lock
-- Locks of other databases of the server do not count: a copy may lie beside its original.
SELECT EXISTS (
  SELECT FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((classid::bigint << 32) | objid::bigint) = $1)
