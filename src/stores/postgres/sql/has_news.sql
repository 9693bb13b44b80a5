-- As has_changed, where no number has to be looked for and no request is open: the cheap form of a question that is asked all the time.
SELECT EXISTS (SELECT 1 FROM {outbox} WHERE sequence > $1), EXISTS (SELECT 1 FROM {outbox}_request WHERE done_at IS NULL),
       EXISTS (SELECT 1 FROM unnest($2::bigint[]) AS id WHERE pg_visible_in_snapshot(id::text::xid8, pg_current_snapshot()))
