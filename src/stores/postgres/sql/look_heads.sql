-- The counter is not bound to the snapshot, and is read after it: no visible row that was numbered by it lies above. One row for each
-- of these transactions ($2) that has ended, as this statement's snapshot sees it, or one without: then its rows are visible, or
-- never will be.
SELECT CASE WHEN is_called THEN last_value ELSE 0 END, coalesce((SELECT max(sequence) FROM {outbox}), 0),
       coalesce($1, clock_timestamp()), pg_postmaster_start_time(), ended.id
FROM {outbox}_number
LEFT JOIN (SELECT id FROM unnest($2::bigint[]) AS id WHERE pg_visible_in_snapshot(id::text::xid8, pg_current_snapshot())) AS ended
  ON true
