-- What is visible of these ranges, which are in order, and for each row the number that stands for its key.
SELECT sequence, CASE WHEN dispatch_key <> '' THEN hashtextextended(tenant_id, hashtextextended(dispatch_key, 0)) END
FROM unnest($1::bigint[], $2::bigint[]) AS range (low, high),
     LATERAL (SELECT sequence, tenant_id, dispatch_key FROM {outbox} WHERE sequence BETWEEN low AND high ORDER BY sequence) AS row
