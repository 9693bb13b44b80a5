DO $$ BEGIN
  RAISE EXCEPTION 'A message could not be enqueued, so this transaction cannot be committed.' USING ERRCODE = 'MG002';
END $$
