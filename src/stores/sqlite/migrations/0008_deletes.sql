-- name: migration_0008_deletes
-- A message that is not settled, that a parked delivery needs, or that is the anchor of the last turn, cannot be deleted by anybody: it would be lost without a
-- trace. What the cleaner may delete everybody may who has the file. The last turn counts, and the cleaner has written its own
-- before it deletes. A cancelled delivery does not need its message.
CREATE TRIGGER "{outbox}_needed" BEFORE DELETE ON "{outbox}"
WHEN OLD.sequence > coalesce((SELECT settled FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0)
  OR OLD.sequence = (SELECT anchor FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1)
  OR EXISTS (SELECT 1 FROM "{outbox}_parked" AS p
             WHERE p.sequence = OLD.sequence AND p.event_id = OLD.event_id AND p.state <> 'done' AND p.error_code <> 'TX.CANCELLED'
               AND NOT EXISTS (SELECT 1 FROM "{outbox}_kept" AS k WHERE k.sequence = OLD.sequence AND k.event_id = OLD.event_id))
BEGIN
  SELECT CASE
    WHEN OLD.sequence > coalesce((SELECT settled FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0)
    THEN RAISE(ABORT, 'A message of {outbox} that is still to be delivered cannot be deleted; cancel it with `makegood outbox cancel`.')
    WHEN OLD.sequence = (SELECT anchor FROM "{outbox}_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1)
    THEN RAISE(ABORT, 'The newest message of {outbox} that was read cannot be deleted: by it is seen that the log is still the same.')
    ELSE RAISE(ABORT, 'A message of {outbox} that a failed delivery needs cannot be deleted; see `makegood dead list`.')
  END;
END;

-- name: migration_0008_deletes_down
DROP TRIGGER IF EXISTS "{outbox}_needed";
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 8;
