DELETE FROM {outbox} WHERE sequence > $1 AND sequence <= $2
