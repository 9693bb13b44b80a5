SELECT (SELECT seq FROM sqlite_sequence WHERE name = '{outbox}' COLLATE NOCASE),
       (SELECT max(sequence) FROM "{outbox}"),
       (SELECT at FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1)
