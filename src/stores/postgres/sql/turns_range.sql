SELECT min(turn), max(turn) FROM {outbox}_turn WHERE lane = 0
