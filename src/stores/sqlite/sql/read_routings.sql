SELECT version, from_sequence, document FROM "{outbox}_route" ORDER BY version
