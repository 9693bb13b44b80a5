-- Rows beyond $1 or in ranges that had none, an end of the transactions $6, or other open requests than so many ($4) with this
-- sum of their ids ($5).
SELECT EXISTS (SELECT 1 FROM {outbox} WHERE sequence > $1)
    OR EXISTS (SELECT 1 FROM unnest($2::bigint[], $3::bigint[]) AS range (low, high),
                             LATERAL (SELECT 1 FROM {outbox} WHERE sequence BETWEEN low AND high LIMIT 1) AS row)
    OR EXISTS (SELECT 1 FROM unnest($6::bigint[]) AS id WHERE pg_visible_in_snapshot(id::text::xid8, pg_current_snapshot()))
    OR (SELECT count(*) <> $4 OR coalesce(sum(id), 0) <> $5
        FROM (SELECT id FROM {outbox}_request WHERE done_at IS NULL ORDER BY id LIMIT 100) AS open)
