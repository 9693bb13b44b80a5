-- name: migration_0007_deletes
-- A message that is not settled, that a parked delivery needs, or that is the anchor of the last turn, cannot be deleted by anybody: it would be lost without a
-- trace. What the cleaner may delete everybody may who has the right. The last turn counts, and the cleaner has written its own
-- before it deletes. A cancelled delivery does not need its message. A number that the database never drew may go.
--
-- Once per statement; and with names and operators that do not depend on who asks.
CREATE OR REPLACE FUNCTION {schema}makegood_refuse_delete() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  low bigint;
  high bigint;
  done_to bigint;
  anchor_at bigint;
  drawn_to bigint;
  needed bigint;
BEGIN
  SELECT min(sequence), max(sequence) INTO low, high FROM gone;
  IF low IS NULL THEN
    RETURN NULL;
  END IF;
  EXECUTE format('SELECT settled, anchor FROM %I.%I WHERE lane = 0 ORDER BY turn DESC LIMIT 1',
                 TG_TABLE_SCHEMA, TG_TABLE_NAME || '_turn')
  INTO done_to, anchor_at;
  IF anchor_at BETWEEN low AND high AND EXISTS (SELECT 1 FROM gone WHERE sequence = anchor_at) THEN
    RAISE EXCEPTION 'Message % of % is the newest that was read and cannot be deleted: by it is seen that the log is still the same.',
      anchor_at, TG_TABLE_NAME USING ERRCODE = 'MG002';
  END IF;
  IF high > coalesce(done_to, 0) THEN
    EXECUTE format('SELECT last_value FROM %I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME || '_number') INTO drawn_to;
    SELECT min(sequence) INTO needed FROM gone WHERE sequence > coalesce(done_to, 0) AND sequence <= drawn_to;
    IF needed IS NOT NULL THEN
      RAISE EXCEPTION 'Message % of % is still to be delivered and cannot be deleted; cancel it with `makegood outbox cancel %`.',
        needed, TG_TABLE_NAME, needed USING ERRCODE = 'MG002';
    END IF;
  END IF;
  EXECUTE format(
    'SELECT min(p.sequence) FROM %1$I.%2$I AS p WHERE p.sequence BETWEEN $1 AND $2 AND p.state <> ''done'''
    ' AND p.error_code <> ''TX.CANCELLED'' AND EXISTS (SELECT 1 FROM gone WHERE gone.sequence = p.sequence AND gone.event_id = p.event_id)'
    ' AND NOT EXISTS (SELECT 1 FROM %1$I.%3$I AS k WHERE k.sequence = p.sequence AND k.event_id = p.event_id)',
    TG_TABLE_SCHEMA, TG_TABLE_NAME || '_parked', TG_TABLE_NAME || '_kept')
  INTO needed USING low, high;
  IF needed IS NOT NULL THEN
    RAISE EXCEPTION 'Message % of % is needed by a failed delivery and cannot be deleted; see `makegood dead list`.',
      needed, TG_TABLE_NAME USING ERRCODE = 'MG002';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION {schema}makegood_refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% cannot be truncated: nobody could tell what was not delivered. Delete what was; test fixtures use `makegood outbox reset`.',
    TG_TABLE_NAME USING ERRCODE = 'MG003';
END $$;

CREATE TRIGGER makegood_needed AFTER DELETE ON {outbox} REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION {schema}makegood_refuse_delete();

CREATE TRIGGER makegood_no_truncate BEFORE TRUNCATE ON {outbox}
FOR EACH STATEMENT EXECUTE FUNCTION {schema}makegood_refuse_truncate();

-- name: migration_0007_deletes_down
-- The functions stay: other outboxes use them.
DROP TRIGGER IF EXISTS makegood_needed ON {outbox};
DROP TRIGGER IF EXISTS makegood_no_truncate ON {outbox};
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 7;
