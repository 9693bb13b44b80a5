-- name: read_incarnation
SELECT incarnation, inode, birth, machine, environment
FROM makegood_store LEFT JOIN makegood_store_traits USING (id) WHERE id = 1

-- name: renew_incarnation
INSERT INTO makegood_store (id, incarnation) VALUES (1, lower(hex(randomblob(16))))
ON CONFLICT (id) DO UPDATE SET incarnation = excluded.incarnation

-- name: record_inode
UPDATE makegood_store SET inode = ?1 WHERE id = 1

-- name: record_traits
INSERT INTO makegood_store_traits (id, birth, machine, environment) VALUES (1, ?1, ?2, ?3)
ON CONFLICT (id) DO UPDATE SET birth = excluded.birth, machine = excluded.machine, environment = excluded.environment
