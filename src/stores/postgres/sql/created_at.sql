-- Of each number, in their order; NULL where somebody has deleted the message.
SELECT coalesce((SELECT created_at FROM {outbox} WHERE sequence = wanted.sequence),
                (SELECT created_at FROM {outbox}_kept WHERE sequence = wanted.sequence))
FROM unnest($1) WITH ORDINALITY AS wanted (sequence, place) ORDER BY wanted.place
