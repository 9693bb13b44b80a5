SELECT created_at FROM {outbox} WHERE sequence > $1 ORDER BY sequence LIMIT 1
