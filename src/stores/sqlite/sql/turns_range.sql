SELECT (SELECT min(turn) FROM "{outbox}_turn" WHERE lane = 0), (SELECT max(turn) FROM "{outbox}_turn" WHERE lane = 0)
