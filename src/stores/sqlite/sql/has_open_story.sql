SELECT EXISTS (SELECT 1 FROM "{outbox}_parked" WHERE sequence = ?1 AND destination = ?2 AND state <> 'done')
