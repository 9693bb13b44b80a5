UPDATE {outbox}_request AS r SET done_at = turn.at, result = answer.result
FROM unnest($1::bigint[], $2::text[]) AS answer (id, result),
     (SELECT at FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1) AS turn
WHERE r.id = ANY($1) AND r.id = answer.id AND r.done_at IS NULL
