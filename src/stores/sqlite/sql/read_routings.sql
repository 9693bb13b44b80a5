SELECT version, from_sequence, document FROM "{outbox}_route" WHERE is_retired <= ?1 ORDER BY version
