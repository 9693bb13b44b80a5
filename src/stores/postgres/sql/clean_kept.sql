DELETE FROM {outbox}_kept AS k
WHERE k.sequence = ANY($1) AND (SELECT true FROM {outbox}_parked AS p WHERE p.sequence = k.sequence LIMIT 1) IS NULL
