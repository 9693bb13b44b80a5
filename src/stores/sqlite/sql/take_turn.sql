INSERT INTO "{outbox}_turn" (lane, turn, owner, at, lease_until, locked, reached, settled, position)
VALUES (0, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
