INSERT INTO "{outbox}_turn" (lane, turn, owner, at, lease_until, locked, reached, settled, position, is_taking)
VALUES (0, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1)
