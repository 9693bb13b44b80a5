-- name: idempotency_0003_inbox
-- Which events a consumer has applied. INSERT ... ON CONFLICT DO NOTHING in the transaction that applies it: one row is fresh, none is
-- a repeat, and an event older than what is remembered raises MG012.
CREATE TABLE {schema}makegood_inbox (
  consumer   text COLLATE "C" NOT NULL CHECK (consumer <> ''),
  source     text COLLATE "C" NOT NULL DEFAULT '',
  tenant_id  text COLLATE "C" NOT NULL DEFAULT 'default',
  event_id   text COLLATE "C" NOT NULL CHECK (event_id <> ''),
  event_time timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  is_checked boolean     NOT NULL DEFAULT false, -- Whoever inserted it asks for the watermark, as the function below does.
  PRIMARY KEY (consumer, source, tenant_id, event_id)
);

CREATE INDEX makegood_inbox_time ON {schema}makegood_inbox (consumer, event_time);

-- Up to which time of events the inbox has been purged.
CREATE TABLE {schema}makegood_inbox_watermark (
  consumer  text COLLATE "C" PRIMARY KEY,
  purged_to timestamptz NOT NULL
);

-- To be asked after the insert: a purge in between would make a repeat fresh. Locked until the transaction ends, so that none comes
-- in between. A row that is missing is made, because one that is not there cannot be locked.
CREATE FUNCTION {schema}makegood_inbox_purged_to(of_consumer text) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  found_at timestamptz;
BEGIN
  SELECT w.purged_to INTO found_at FROM {schema}makegood_inbox_watermark AS w WHERE w.consumer = of_consumer FOR SHARE;
  IF FOUND THEN
    RETURN found_at;
  END IF;
  INSERT INTO {schema}makegood_inbox_watermark (consumer, purged_to) VALUES (of_consumer, '-infinity') ON CONFLICT DO NOTHING;
  SELECT w.purged_to INTO found_at FROM {schema}makegood_inbox_watermark AS w WHERE w.consumer = of_consumer FOR SHARE;
  RETURN found_at;
END $$;

CREATE FUNCTION {schema}makegood_inbox_expired() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.event_time <= {schema}makegood_inbox_purged_to(NEW.consumer) THEN
    RAISE EXCEPTION 'This event is older than what the inbox remembers, so whether it was applied is unknown; make it a dead letter.' USING ERRCODE = 'MG012';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER makegood_inbox_expired AFTER INSERT ON {schema}makegood_inbox
  FOR EACH ROW WHEN (NOT NEW.is_checked) EXECUTE FUNCTION {schema}makegood_inbox_expired();

-- fresh, repeat or expired.
CREATE FUNCTION {schema}makegood_inbox_seen(
  consumer text, source text, tenant_id text, event_id text, event_time timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  INSERT INTO {schema}makegood_inbox AS i (consumer, source, tenant_id, event_id, event_time, is_checked)
  VALUES (consumer, source, tenant_id, event_id, event_time, true)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN 'repeat';
  END IF;
  IF event_time > {schema}makegood_inbox_purged_to(consumer) THEN
    RETURN 'fresh';
  END IF;
  DELETE FROM {schema}makegood_inbox AS i
  WHERE i.consumer = consumer AND i.source = source AND i.tenant_id = tenant_id AND i.event_id = event_id;
  RETURN 'expired';
END $$;

-- name: idempotency_0003_inbox_down
DROP TABLE IF EXISTS {schema}makegood_inbox, {schema}makegood_inbox_watermark;
DROP FUNCTION IF EXISTS {schema}makegood_inbox_seen, {schema}makegood_inbox_expired, {schema}makegood_inbox_purged_to;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 3;
