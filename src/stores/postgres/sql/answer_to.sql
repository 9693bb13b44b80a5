SELECT done_at, result FROM {outbox}_request WHERE id = $1
