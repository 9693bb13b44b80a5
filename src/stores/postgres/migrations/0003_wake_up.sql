-- name: migration_0003_wake_up
-- Wakes the relay when something is committed, if the team wants it: SELECT {outbox}_wake_up(true). Otherwise the relay asks
-- every few milliseconds, and writers pay nothing.
--
-- NOTIFY takes a lock of the whole server at commit, so it is used only while the relay sleeps, which it shows by a lock of its
-- own. Whoever can share that lock finds the relay awake, says nothing, and keeps it from falling asleep until the transaction
-- has ended: so no commit goes unseen.
CREATE FUNCTION {outbox}_ring() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared((1835755364::bigint << 32) | {regclass}::oid::bigint) THEN
    PERFORM pg_notify('makegood_' || {regclass}::oid, '');
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION {outbox}_wake_up(is_on boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DROP TRIGGER IF EXISTS makegood_wake_up ON {outbox};
  DROP TRIGGER IF EXISTS makegood_wake_up ON {outbox}_request;
  IF is_on THEN
    CREATE TRIGGER makegood_wake_up AFTER INSERT ON {outbox} FOR EACH STATEMENT EXECUTE FUNCTION {outbox}_ring();
    CREATE TRIGGER makegood_wake_up AFTER INSERT ON {outbox}_request FOR EACH STATEMENT EXECUTE FUNCTION {outbox}_ring();
  END IF;
END $$;

-- name: migration_0003_wake_up_down
DROP FUNCTION IF EXISTS {outbox}_wake_up;
DROP FUNCTION IF EXISTS {outbox}_ring CASCADE;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 3;
