SELECT coalesce(max(number), 0) FROM {schema}makegood_migration WHERE outbox = {text}
