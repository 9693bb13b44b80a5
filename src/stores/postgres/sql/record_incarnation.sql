INSERT INTO {schema}makegood_store (id, system, timeline) VALUES (1, $1, $2)
ON CONFLICT (id) DO UPDATE SET system = excluded.system, timeline = excluded.timeline
