INSERT INTO "{outbox}_route" (version, from_sequence, at, owner, document) VALUES (?1, ?2, ?3, ?4, ?5)
