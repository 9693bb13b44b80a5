UPDATE "{outbox}_request" SET done_at = ?2, result = ?3 WHERE id = ?1 AND done_at IS NULL
