SELECT coalesce(max(number), 0) FROM makegood_migration WHERE outbox = '{outbox}'
