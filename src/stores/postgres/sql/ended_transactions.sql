-- Which of these transactions have ended, as this statement's snapshot sees it: their rows are visible, or never will be.
SELECT id FROM unnest($1::bigint[]) AS id WHERE pg_visible_in_snapshot(id::text::xid8, pg_current_snapshot())
