INSERT INTO makegood_store (id, incarnation, inode) VALUES (1, lower(hex(randomblob(16))), ?1)
ON CONFLICT (id) DO UPDATE SET incarnation = excluded.incarnation, inode = excluded.inode
