UPDATE "{outbox}_turn" SET position = '' WHERE lane = 0 AND turn = ?1
