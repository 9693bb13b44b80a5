INSERT INTO {outbox}_route (version, from_sequence, at, owner, document)
SELECT $1, $2, at, $3, $4 FROM {outbox}_turn WHERE lane = 0 ORDER BY turn DESC LIMIT 1
