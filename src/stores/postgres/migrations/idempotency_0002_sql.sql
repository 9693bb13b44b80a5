-- name: idempotency_0002_sql
-- Idempotency for every language, in its own transaction and with the same text on every store: an INSERT into one of these views
-- does what its name says. A stale token raises MG010, and with it fails the caller's transaction.
CREATE VIEW {schema}makegood_idempotency_claim AS
SELECT tenant_id, scope, key, fingerprint, token,
       CASE WHEN NOT (state = 'in_flight' AND lease_until > now) AND expires_at <= now THEN 'fresh'
            WHEN state = 'succeeded' THEN 'hit'
            WHEN state = 'failed' AND is_final THEN 'last_failed'
            WHEN state = 'failed' THEN 'fresh'
            WHEN lease_until > now THEN 'busy'
            WHEN after_lease = 'take_over' THEN 'fresh'
            ELSE 'in_doubt' END AS outcome,
       NOT (state = 'in_flight' AND lease_until > now) AND expires_at <= now AS is_over,
       failure_code, greatest((extract(epoch FROM lease_until - now) * 1000)::bigint, 0) AS retry_after_ms, ttl_ms,
       NULL::bigint AS lease_ms, after_lease, result_digest, result_kind, result_status, result_headers, result_body
FROM {schema}makegood_idempotency, LATERAL (SELECT clock_timestamp() AS now) AS c;

CREATE FUNCTION {schema}makegood_idempotency_claim_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(NEW.key, '') = '' OR coalesce(NEW.fingerprint, '') = '' OR coalesce(NEW.token, '') = ''
     OR coalesce(NEW.ttl_ms, 1) < 1 OR coalesce(NEW.lease_ms, 1) < 1 THEN
    RAISE EXCEPTION 'A claim needs a key, a fingerprint, a token, and times of at least one millisecond.' USING ERRCODE = 'MG011';
  END IF;
  INSERT INTO {schema}makegood_idempotency
    (tenant_id, scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, ttl_ms)
  SELECT coalesce(NEW.tenant_id, 'default'), coalesce(NEW.scope, ''), NEW.key, NEW.fingerprint, 'in_flight', NEW.token,
         coalesce(NEW.after_lease, 'hold'), now + coalesce(NEW.lease_ms, 30000) * interval '1 ms',
         now + greatest(coalesce(NEW.ttl_ms, 86400000), coalesce(NEW.lease_ms, 30000)) * interval '1 ms', now, now,
         coalesce(NEW.ttl_ms, 86400000)
  FROM (SELECT clock_timestamp() AS now) AS c
-- include: key_takeover
  ;
  RETURN NEW;
END $$;
CREATE TRIGGER makegood_idempotency_claim_insert INSTEAD OF INSERT ON {schema}makegood_idempotency_claim
  FOR EACH ROW EXECUTE FUNCTION {schema}makegood_idempotency_claim_insert();

CREATE VIEW {schema}makegood_idempotency_once AS
SELECT tenant_id, scope, key, fingerprint, token,
       CASE WHEN NOT (state = 'in_flight' AND lease_until > now) AND expires_at <= now THEN 'fresh'
            WHEN state = 'succeeded' THEN 'hit'
            WHEN state = 'failed' AND is_final THEN 'last_failed'
            WHEN state = 'failed' THEN 'fresh'
            WHEN lease_until > now THEN 'busy'
            WHEN after_lease = 'take_over' THEN 'fresh'
            ELSE 'in_doubt' END AS outcome,
       NOT (state = 'in_flight' AND lease_until > now) AND expires_at <= now AS is_over,
       failure_code, greatest((extract(epoch FROM lease_until - now) * 1000)::bigint, 0) AS retry_after_ms, ttl_ms,
       NULL::bigint AS lease_ms, after_lease, result_digest, result_kind, result_status, result_headers, result_body
FROM {schema}makegood_idempotency, LATERAL (SELECT clock_timestamp() AS now) AS c;

CREATE FUNCTION {schema}makegood_idempotency_once_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(NEW.key, '') = '' OR coalesce(NEW.fingerprint, '') = '' OR coalesce(NEW.token, '') = ''
     OR coalesce(NEW.ttl_ms, 1) < 1 OR coalesce(NEW.lease_ms, 1) < 1 THEN
    RAISE EXCEPTION 'A claim needs a key, a fingerprint, a token, and times of at least one millisecond.' USING ERRCODE = 'MG011';
  END IF;
  INSERT INTO {schema}makegood_idempotency
    (tenant_id, scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, ttl_ms,
     result_digest, result_kind, result_status, result_headers, result_body)
  SELECT coalesce(NEW.tenant_id, 'default'), coalesce(NEW.scope, ''), NEW.key, NEW.fingerprint, 'succeeded', NEW.token,
         'take_over', now, now + coalesce(NEW.ttl_ms, 86400000) * interval '1 ms', now, now, coalesce(NEW.ttl_ms, 86400000),
         coalesce(NEW.result_digest, ''), CASE WHEN NEW.result_status IS NULL AND NEW.result_body IS NULL THEN 'none'
         WHEN octet_length(coalesce(NEW.result_body, '')) + octet_length(coalesce(NEW.result_headers, '')) > 65536 THEN 'truncated' ELSE 'snapshot' END,
         coalesce(NEW.result_status, 0), coalesce(NEW.result_headers, ''),
         CASE WHEN octet_length(coalesce(NEW.result_body, '')) + octet_length(coalesce(NEW.result_headers, '')) > 65536 THEN '' ELSE coalesce(NEW.result_body, '') END
  FROM (SELECT clock_timestamp() AS now) AS c
-- include: key_takeover
  ;
  RETURN NEW;
END $$;
CREATE TRIGGER makegood_idempotency_once_insert INSTEAD OF INSERT ON {schema}makegood_idempotency_once
  FOR EACH ROW EXECUTE FUNCTION {schema}makegood_idempotency_once_insert();

CREATE VIEW {schema}makegood_idempotency_renew AS
SELECT tenant_id, scope, key, token, NULL::bigint AS lease_ms FROM {schema}makegood_idempotency WHERE false;

CREATE FUNCTION {schema}makegood_idempotency_renew_insert() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  until timestamptz := clock_timestamp() + greatest(coalesce(NEW.lease_ms, 30000), 1) * interval '1 ms';
BEGIN
  UPDATE {schema}makegood_idempotency
  SET updated_at = clock_timestamp(), lease_until = until, expires_at = greatest(expires_at, until)
  WHERE tenant_id = coalesce(NEW.tenant_id, 'default') AND scope = coalesce(NEW.scope, '') AND key = NEW.key
    AND token = NEW.token AND state = 'in_flight';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The claim is stale: its key was taken over, ended or forgotten. What was done must not count.' USING ERRCODE = 'MG010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER makegood_idempotency_renew_insert INSTEAD OF INSERT ON {schema}makegood_idempotency_renew
  FOR EACH ROW EXECUTE FUNCTION {schema}makegood_idempotency_renew_insert();

CREATE VIEW {schema}makegood_idempotency_finish AS
SELECT tenant_id, scope, key, token, result_digest, result_status, result_headers, result_body
FROM {schema}makegood_idempotency WHERE false;

CREATE FUNCTION {schema}makegood_idempotency_finish_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE {schema}makegood_idempotency
  SET state = 'succeeded', updated_at = clock_timestamp(),
      expires_at = greatest(expires_at, clock_timestamp() + ttl_ms * interval '1 ms'),
      result_digest = coalesce(NEW.result_digest, ''), result_kind = CASE WHEN NEW.result_status IS NULL AND NEW.result_body IS NULL THEN 'none'
         WHEN octet_length(coalesce(NEW.result_body, '')) + octet_length(coalesce(NEW.result_headers, '')) > 65536 THEN 'truncated' ELSE 'snapshot' END,
      result_status = coalesce(NEW.result_status, 0), result_headers = coalesce(NEW.result_headers, ''),
      result_body = CASE WHEN octet_length(coalesce(NEW.result_body, '')) + octet_length(coalesce(NEW.result_headers, '')) > 65536 THEN '' ELSE coalesce(NEW.result_body, '') END
  WHERE tenant_id = coalesce(NEW.tenant_id, 'default') AND scope = coalesce(NEW.scope, '') AND key = NEW.key
    AND token = NEW.token AND state = 'in_flight';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The claim is stale: its key was taken over, ended or forgotten. What was done must not count.' USING ERRCODE = 'MG010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER makegood_idempotency_finish_insert INSTEAD OF INSERT ON {schema}makegood_idempotency_finish
  FOR EACH ROW EXECUTE FUNCTION {schema}makegood_idempotency_finish_insert();

CREATE VIEW {schema}makegood_idempotency_fail AS
SELECT tenant_id, scope, key, token, failure_code, is_final FROM {schema}makegood_idempotency WHERE false;

CREATE FUNCTION {schema}makegood_idempotency_fail_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE {schema}makegood_idempotency
  SET state = 'failed', updated_at = clock_timestamp(),
      expires_at = greatest(expires_at, clock_timestamp() + ttl_ms * interval '1 ms'),
      failure_code = coalesce(NEW.failure_code, ''), is_final = coalesce(NEW.is_final, false)
  WHERE tenant_id = coalesce(NEW.tenant_id, 'default') AND scope = coalesce(NEW.scope, '') AND key = NEW.key
    AND token = NEW.token AND state = 'in_flight';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The claim is stale: its key was taken over, ended or forgotten. What was done must not count.' USING ERRCODE = 'MG010';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER makegood_idempotency_fail_insert INSTEAD OF INSERT ON {schema}makegood_idempotency_fail
  FOR EACH ROW EXECUTE FUNCTION {schema}makegood_idempotency_fail_insert();

-- The same as functions, which draw the token and answer in one call. Inside a transaction they wait until another that has the key
-- ends; under REPEATABLE READ the second one fails with 40001.
CREATE FUNCTION {schema}makegood_idempotency_claim(
  scope text, key text, fingerprint text, tenant_id text DEFAULT 'default', ttl_ms bigint DEFAULT 86400000,
  lease_ms bigint DEFAULT 30000, after_lease text DEFAULT 'hold', token text DEFAULT NULL,
  OUT outcome text, OUT claim_token text, OUT failure_code text, OUT retry_after_ms bigint, OUT result_digest text,
  OUT result_kind text, OUT result_status integer, OUT result_headers text, OUT result_body bytea
) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  mine     text := coalesce(token, gen_random_uuid()::text);
  last     text := '';
  is_known boolean;
  v        {schema}makegood_idempotency_claim%ROWTYPE;
BEGIN
  FOR round IN 1 .. 8 LOOP
    SELECT * INTO v FROM {schema}makegood_idempotency_claim AS k
    WHERE k.tenant_id = tenant_id AND k.scope = scope AND k.key = key;
    is_known := FOUND AND NOT v.is_over;
    IF FOUND AND v.token = mine THEN
      outcome := 'fresh';
      claim_token := mine;
      failure_code := last;
      RETURN;
    ELSIF is_known AND v.fingerprint <> fingerprint THEN
      outcome := 'mismatch';
      RETURN;
    ELSIF is_known AND v.outcome <> 'fresh' THEN
      outcome := v.outcome;
      failure_code := v.failure_code;
      retry_after_ms := v.retry_after_ms;
      IF v.outcome = 'hit' THEN
        result_digest := v.result_digest;
        result_kind := v.result_kind;
        result_status := v.result_status;
        result_headers := v.result_headers;
        result_body := v.result_body;
      END IF;
      RETURN;
    END IF;
    last := CASE WHEN is_known THEN v.failure_code ELSE '' END;
    INSERT INTO {schema}makegood_idempotency_claim (tenant_id, scope, key, fingerprint, token, ttl_ms, lease_ms, after_lease)
    VALUES (tenant_id, scope, key, fingerprint, mine, ttl_ms, lease_ms, after_lease);
  END LOOP;
  outcome := 'busy';
  retry_after_ms := 1000;
END $$;

CREATE FUNCTION {schema}makegood_idempotency_once(
  scope text, key text, fingerprint text, tenant_id text DEFAULT 'default', ttl_ms bigint DEFAULT 86400000,
  digest text DEFAULT '', status integer DEFAULT NULL, headers text DEFAULT NULL, body bytea DEFAULT NULL,
  OUT outcome text, OUT claim_token text, OUT failure_code text, OUT retry_after_ms bigint, OUT result_digest text,
  OUT result_kind text, OUT result_status integer, OUT result_headers text, OUT result_body bytea
) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  mine     text := gen_random_uuid()::text;
  last     text := '';
  is_known boolean;
  v        {schema}makegood_idempotency_once%ROWTYPE;
BEGIN
  FOR round IN 1 .. 8 LOOP
    SELECT * INTO v FROM {schema}makegood_idempotency_once AS k
    WHERE k.tenant_id = tenant_id AND k.scope = scope AND k.key = key;
    is_known := FOUND AND NOT v.is_over;
    IF FOUND AND v.token = mine THEN
      outcome := 'fresh';
      claim_token := mine;
      failure_code := last;
      RETURN;
    ELSIF is_known AND v.fingerprint <> fingerprint THEN
      outcome := 'mismatch';
      RETURN;
    ELSIF is_known AND v.outcome <> 'fresh' THEN
      outcome := v.outcome;
      failure_code := v.failure_code;
      retry_after_ms := v.retry_after_ms;
      IF v.outcome = 'hit' THEN
        result_digest := v.result_digest;
        result_kind := v.result_kind;
        result_status := v.result_status;
        result_headers := v.result_headers;
        result_body := v.result_body;
      END IF;
      RETURN;
    END IF;
    last := CASE WHEN is_known THEN v.failure_code ELSE '' END;
    INSERT INTO {schema}makegood_idempotency_once (tenant_id, scope, key, fingerprint, token, ttl_ms, result_digest, result_status, result_headers, result_body)
    VALUES (tenant_id, scope, key, fingerprint, mine, ttl_ms, digest, status, headers, body);
  END LOOP;
  outcome := 'busy';
  retry_after_ms := 1000;
END $$;

CREATE FUNCTION {schema}makegood_idempotency_renew(
  scope text, key text, token text, tenant_id text DEFAULT 'default', lease_ms bigint DEFAULT 30000
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO {schema}makegood_idempotency_renew (tenant_id, scope, key, token, lease_ms) VALUES ($4, $1, $2, $3, $5)
$$;

CREATE FUNCTION {schema}makegood_idempotency_finish(
  scope text, key text, token text, tenant_id text DEFAULT 'default', digest text DEFAULT '', status integer DEFAULT NULL,
  headers text DEFAULT NULL, body bytea DEFAULT NULL
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO {schema}makegood_idempotency_finish (tenant_id, scope, key, token, result_digest, result_status, result_headers, result_body)
  VALUES ($4, $1, $2, $3, $5, $6, $7, $8)
$$;

CREATE FUNCTION {schema}makegood_idempotency_fail(
  scope text, key text, token text, code text, tenant_id text DEFAULT 'default', is_final boolean DEFAULT false
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO {schema}makegood_idempotency_fail (tenant_id, scope, key, token, failure_code, is_final) VALUES ($5, $1, $2, $3, $4, $6)
$$;

-- name: idempotency_0002_sql_down
DROP FUNCTION IF EXISTS {schema}makegood_idempotency_claim, {schema}makegood_idempotency_once, {schema}makegood_idempotency_renew, {schema}makegood_idempotency_finish, {schema}makegood_idempotency_fail;
DROP VIEW IF EXISTS {schema}makegood_idempotency_claim, {schema}makegood_idempotency_once, {schema}makegood_idempotency_renew, {schema}makegood_idempotency_finish, {schema}makegood_idempotency_fail;
DROP FUNCTION IF EXISTS {schema}makegood_idempotency_claim_insert, {schema}makegood_idempotency_once_insert, {schema}makegood_idempotency_renew_insert, {schema}makegood_idempotency_finish_insert, {schema}makegood_idempotency_fail_insert;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 2;
