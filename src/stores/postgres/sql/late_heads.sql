-- How much is visible of each range, and the keys of it: a number for each, as look_numbers has it, one after the other.
SELECT low, high, visible.count, visible.keys
FROM unnest($1::bigint[], $2::bigint[]) AS range (low, high),
     LATERAL (SELECT count(*) AS count,
                     string_agg(int8send(hashtextextended(tenant_id, hashtextextended(dispatch_key, 0))), '')
                       FILTER (WHERE dispatch_key <> '') AS keys
              FROM {outbox} WHERE sequence BETWEEN low AND high) AS visible
WHERE visible.count > 0
