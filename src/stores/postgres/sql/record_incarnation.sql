INSERT INTO {schema}makegood_store (id, system, timeline, database) VALUES (1, $1, $2, $3)
ON CONFLICT (id) DO UPDATE SET system = excluded.system, timeline = excluded.timeline, database = excluded.database
