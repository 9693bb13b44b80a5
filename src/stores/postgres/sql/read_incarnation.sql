-- What is recorded, and what this is. A standby that has not taken over tells the timeline that it follows.
SELECT system, timeline, database, system_identifier,
       CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id::bigint FROM pg_control_checkpoint())
            ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint END,
       (SELECT oid::bigint FROM pg_database WHERE datname = current_database())
FROM pg_control_system() LEFT JOIN {schema}makegood_store ON id = 1
