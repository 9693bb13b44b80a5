SELECT incarnation, inode FROM makegood_store WHERE id = 1
