-- As has_changed, where no number and no request is open: the cheap form of a question that is asked all the time.
SELECT EXISTS (SELECT 1 FROM {outbox} WHERE sequence > $1), EXISTS (SELECT 1 FROM {outbox}_request WHERE done_at IS NULL)
