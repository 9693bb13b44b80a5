-- name: idempotency_0002_sql
-- Idempotency for every language, in its own transaction and with the same text on every store: an INSERT into one of these views
-- does what its name says. A stale token rolls the whole transaction back; after a mere ABORT the caller's COMMIT would succeed.
CREATE VIEW makegood_idempotency_claim AS
SELECT tenant_id, scope, key, fingerprint, token,
       CASE WHEN NOT (state = 'in_flight' AND lease_until > now) AND expires_at <= now THEN 'fresh'
            WHEN state = 'succeeded' THEN 'hit'
            WHEN state = 'failed' AND is_final THEN 'last_failed'
            WHEN state = 'failed' THEN 'fresh'
            WHEN lease_until > now THEN 'busy'
            WHEN after_lease = 'take_over' THEN 'fresh'
            ELSE 'in_doubt' END AS outcome,
       NOT (state = 'in_flight' AND lease_until > now) AND expires_at <= now AS is_over,
       failure_code, max(lease_until - now, 0) AS retry_after_ms, ttl_ms, NULL AS lease_ms, after_lease,
       result_digest, result_kind, result_status, result_headers, result_body
FROM makegood_idempotency,
     (SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now);

CREATE TRIGGER makegood_idempotency_claim_insert INSTEAD OF INSERT ON makegood_idempotency_claim
BEGIN
  SELECT RAISE(ROLLBACK, 'A claim needs a key, a fingerprint, a token, and times of at least one millisecond.')
  WHERE coalesce(NEW.key, '') = '' OR coalesce(NEW.fingerprint, '') = '' OR coalesce(NEW.token, '') = ''
     OR coalesce(NEW.ttl_ms, 1) < 1 OR coalesce(NEW.lease_ms, 1) < 1;
  INSERT INTO makegood_idempotency
    (tenant_id, scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, ttl_ms)
  SELECT coalesce(NEW.tenant_id, 'default'), coalesce(NEW.scope, ''), NEW.key, NEW.fingerprint, 'in_flight', NEW.token,
         coalesce(NEW.after_lease, 'hold'), now + coalesce(NEW.lease_ms, 30000),
         now + max(coalesce(NEW.ttl_ms, 86400000), coalesce(NEW.lease_ms, 30000)), now, now, coalesce(NEW.ttl_ms, 86400000)
  FROM (SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now)
  WHERE true
-- include: key_takeover
  ;
END;

CREATE VIEW makegood_idempotency_once AS
SELECT tenant_id, scope, key, fingerprint, token,
       CASE WHEN NOT (state = 'in_flight' AND lease_until > now) AND expires_at <= now THEN 'fresh'
            WHEN state = 'succeeded' THEN 'hit'
            WHEN state = 'failed' AND is_final THEN 'last_failed'
            WHEN state = 'failed' THEN 'fresh'
            WHEN lease_until > now THEN 'busy'
            WHEN after_lease = 'take_over' THEN 'fresh'
            ELSE 'in_doubt' END AS outcome,
       NOT (state = 'in_flight' AND lease_until > now) AND expires_at <= now AS is_over,
       failure_code, max(lease_until - now, 0) AS retry_after_ms, ttl_ms, NULL AS lease_ms, after_lease,
       result_digest, result_kind, result_status, result_headers, result_body
FROM makegood_idempotency,
     (SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now);

CREATE TRIGGER makegood_idempotency_once_insert INSTEAD OF INSERT ON makegood_idempotency_once
BEGIN
  SELECT RAISE(ROLLBACK, 'A claim needs a key, a fingerprint, a token, and times of at least one millisecond.')
  WHERE coalesce(NEW.key, '') = '' OR coalesce(NEW.fingerprint, '') = '' OR coalesce(NEW.token, '') = ''
     OR coalesce(NEW.ttl_ms, 1) < 1 OR coalesce(NEW.lease_ms, 1) < 1;
  INSERT INTO makegood_idempotency
    (tenant_id, scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, ttl_ms,
     result_digest, result_kind, result_status, result_headers, result_body)
  SELECT coalesce(NEW.tenant_id, 'default'), coalesce(NEW.scope, ''), NEW.key, NEW.fingerprint, 'succeeded', NEW.token,
         'take_over', now, now + coalesce(NEW.ttl_ms, 86400000), now, now, coalesce(NEW.ttl_ms, 86400000),
         coalesce(NEW.result_digest, ''), CASE WHEN NEW.result_status IS NULL AND NEW.result_body IS NULL THEN 'none'
         WHEN length(coalesce(NEW.result_body, x'')) + length(CAST(coalesce(NEW.result_headers, '') AS BLOB)) > 65536 THEN 'truncated' ELSE 'snapshot' END,
         coalesce(NEW.result_status, 0), coalesce(NEW.result_headers, ''),
         CASE WHEN length(coalesce(NEW.result_body, x'')) + length(CAST(coalesce(NEW.result_headers, '') AS BLOB)) > 65536 THEN x'' ELSE CAST(coalesce(NEW.result_body, x'') AS BLOB) END
  FROM (SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now)
  WHERE true
-- include: key_takeover
  ;
END;

CREATE VIEW makegood_idempotency_renew AS
SELECT tenant_id, scope, key, token, NULL AS lease_ms FROM makegood_idempotency WHERE false;

CREATE TRIGGER makegood_idempotency_renew_insert INSTEAD OF INSERT ON makegood_idempotency_renew
BEGIN
  SELECT RAISE(ROLLBACK, 'The claim is stale: its key was taken over, ended or forgotten. What was done must not count.')
  WHERE NOT EXISTS (SELECT 1 FROM makegood_idempotency WHERE tenant_id = coalesce(NEW.tenant_id, 'default') AND scope = coalesce(NEW.scope, '') AND key = NEW.key
    AND token = NEW.token AND state = 'in_flight');
  UPDATE makegood_idempotency
  SET updated_at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER),
      lease_until = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) + max(coalesce(NEW.lease_ms, 30000), 1),
      expires_at = max(expires_at, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) + max(coalesce(NEW.lease_ms, 30000), 1))
  WHERE tenant_id = coalesce(NEW.tenant_id, 'default') AND scope = coalesce(NEW.scope, '') AND key = NEW.key
    AND token = NEW.token AND state = 'in_flight';
END;

CREATE VIEW makegood_idempotency_finish AS
SELECT tenant_id, scope, key, token, result_digest, result_status, result_headers, result_body
FROM makegood_idempotency WHERE false;

CREATE TRIGGER makegood_idempotency_finish_insert INSTEAD OF INSERT ON makegood_idempotency_finish
BEGIN
  SELECT RAISE(ROLLBACK, 'The claim is stale: its key was taken over, ended or forgotten. What was done must not count.')
  WHERE NOT EXISTS (SELECT 1 FROM makegood_idempotency WHERE tenant_id = coalesce(NEW.tenant_id, 'default') AND scope = coalesce(NEW.scope, '') AND key = NEW.key
    AND token = NEW.token AND state = 'in_flight');
  UPDATE makegood_idempotency
  SET state = 'succeeded', updated_at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER),
      expires_at = max(expires_at, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) + ttl_ms),
      result_digest = coalesce(NEW.result_digest, ''), result_kind = CASE WHEN NEW.result_status IS NULL AND NEW.result_body IS NULL THEN 'none'
         WHEN length(coalesce(NEW.result_body, x'')) + length(CAST(coalesce(NEW.result_headers, '') AS BLOB)) > 65536 THEN 'truncated' ELSE 'snapshot' END,
      result_status = coalesce(NEW.result_status, 0), result_headers = coalesce(NEW.result_headers, ''),
      result_body = CASE WHEN length(coalesce(NEW.result_body, x'')) + length(CAST(coalesce(NEW.result_headers, '') AS BLOB)) > 65536 THEN x'' ELSE CAST(coalesce(NEW.result_body, x'') AS BLOB) END
  WHERE tenant_id = coalesce(NEW.tenant_id, 'default') AND scope = coalesce(NEW.scope, '') AND key = NEW.key
    AND token = NEW.token AND state = 'in_flight';
END;

CREATE VIEW makegood_idempotency_fail AS
SELECT tenant_id, scope, key, token, failure_code, is_final FROM makegood_idempotency WHERE false;

CREATE TRIGGER makegood_idempotency_fail_insert INSTEAD OF INSERT ON makegood_idempotency_fail
BEGIN
  SELECT RAISE(ROLLBACK, 'The claim is stale: its key was taken over, ended or forgotten. What was done must not count.')
  WHERE NOT EXISTS (SELECT 1 FROM makegood_idempotency WHERE tenant_id = coalesce(NEW.tenant_id, 'default') AND scope = coalesce(NEW.scope, '') AND key = NEW.key
    AND token = NEW.token AND state = 'in_flight');
  UPDATE makegood_idempotency
  SET state = 'failed', updated_at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER),
      expires_at = max(expires_at, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) + ttl_ms),
      failure_code = coalesce(NEW.failure_code, ''), is_final = coalesce(NEW.is_final, false)
  WHERE tenant_id = coalesce(NEW.tenant_id, 'default') AND scope = coalesce(NEW.scope, '') AND key = NEW.key
    AND token = NEW.token AND state = 'in_flight';
END;

-- name: idempotency_0002_sql_down
DROP VIEW IF EXISTS makegood_idempotency_fail;
DROP VIEW IF EXISTS makegood_idempotency_finish;
DROP VIEW IF EXISTS makegood_idempotency_renew;
DROP VIEW IF EXISTS makegood_idempotency_once;
DROP VIEW IF EXISTS makegood_idempotency_claim;
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 2;
