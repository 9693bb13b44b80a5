UPDATE makegood_store SET inode = ?1 WHERE id = 1 AND inode IS NULL
