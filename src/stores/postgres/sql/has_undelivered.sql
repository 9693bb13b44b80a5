SELECT EXISTS (SELECT 1 FROM {outbox}_status WHERE state <> 'done')::int
