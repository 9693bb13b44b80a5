SELECT current_setting('server_version_num')::int, current_setting('server_version'), pg_is_in_recovery(),
       current_setting('default_transaction_read_only')::boolean, current_setting('synchronous_commit'),
       current_setting('max_prepared_transactions')::int, clock_timestamp(),
       pg_has_role('pg_read_all_stats', 'USAGE')
