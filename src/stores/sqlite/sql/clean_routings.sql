DELETE FROM "{outbox}_route"
WHERE version IN (SELECT version FROM "{outbox}_route" WHERE version < ?1 ORDER BY version LIMIT ?2)
