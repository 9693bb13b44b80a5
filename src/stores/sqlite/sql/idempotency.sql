-- name: look_up_keys
-- The clock comes with each key, there or not. Writes nothing.
SELECT w.value ->> 'place', ?2, k.tenant_id, k.scope, k.key, k.fingerprint, k.state, k.token, k.after_lease,
       k.lease_until, k.expires_at, k.created_at, k.updated_at, k.ttl_ms, k.claims, k.failure_code, k.is_final,
       k.result_digest, k.result_kind, k.result_status, k.result_headers, k.result_body
FROM json_each(?1) AS w
LEFT JOIN makegood_idempotency AS k
  ON k.tenant_id = w.value ->> 'tenant_id' AND k.scope = w.value ->> 'scope' AND k.key = w.value ->> 'key'

-- name: take_keys
-- In the order of keys, so that two of these never wait for each other. A key that is not answered was not takeable.
INSERT INTO makegood_idempotency
  (tenant_id, scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, ttl_ms)
SELECT w.value ->> 'tenant_id', w.value ->> 'scope', w.value ->> 'key', w.value ->> 'fingerprint', 'in_flight',
    w.value ->> 'token', w.value ->> 'after_lease',
       ?2 + (w.value ->> 'lease_ms'), ?2 + max(w.value ->> 'ttl_ms', w.value ->> 'lease_ms'), ?2, ?2, w.value ->> 'ttl_ms'
FROM json_each(?1) AS w
WHERE true
ORDER BY w.value ->> 'tenant_id', w.value ->> 'scope', w.value ->> 'key'
-- include: key_takeover
RETURNING tenant_id, scope, key

-- name: take_key_once
-- Claimed and finished in one, in the caller's transaction.
INSERT INTO makegood_idempotency
  (tenant_id, scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, ttl_ms,
   result_digest, result_kind, result_status, result_headers, result_body)
SELECT ?2, ?3, ?4, ?5, 'succeeded', ?6, 'take_over', ?1, ?1 + ?7, ?1, ?1, ?7, ?8, ?9, ?10, ?11, ?12
WHERE true
-- include: key_takeover
RETURNING tenant_id

-- name: renew_key
UPDATE makegood_idempotency
SET lease_until = ?1 + ?6, expires_at = max(expires_at, ?1 + ?6), updated_at = ?1
WHERE tenant_id = ?2 AND scope = ?3 AND key = ?4 AND token = ?5 AND state = 'in_flight'
RETURNING lease_until

-- name: finish_key
UPDATE makegood_idempotency
SET state = 'succeeded', result_digest = ?6, result_kind = ?7, result_status = ?8, result_headers = ?9, result_body = ?10,
    expires_at = max(expires_at, ?1 + ttl_ms), updated_at = ?1
WHERE tenant_id = ?2 AND scope = ?3 AND key = ?4 AND token = ?5 AND state = 'in_flight'
RETURNING tenant_id

-- name: fail_key
UPDATE makegood_idempotency
SET state = 'failed', failure_code = ?6, is_final = ?7, expires_at = max(expires_at, ?1 + ttl_ms), updated_at = ?1
WHERE tenant_id = ?2 AND scope = ?3 AND key = ?4 AND token = ?5 AND state = 'in_flight'
RETURNING tenant_id

-- name: list_keys
SELECT 0, ?1, tenant_id, scope, key,
       fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, ttl_ms, claims,
       failure_code, is_final, result_digest, result_kind, result_status, result_headers, result_body
FROM makegood_idempotency
WHERE (?2 = '' OR tenant_id = ?2) AND (?3 = 0 OR scope = ?4)
  AND (tenant_id, scope, key) > (?5, ?6, ?7)
  AND (?8 = 0 OR (state = 'in_flight' AND lease_until <= ?1 AND expires_at > ?1 AND after_lease = 'hold'))
  AND (expires_at > ?1 OR (state = 'in_flight' AND lease_until > ?1))
ORDER BY tenant_id, scope, key
LIMIT ?9

-- name: count_keys
-- In flight, succeeded, failed, in doubt, and over: those that are still there and count for nothing.
SELECT coalesce(sum(CASE WHEN state = 'in_flight' AND lease_until > ?1 THEN 1 ELSE 0 END), 0),
       coalesce(sum(CASE WHEN state = 'succeeded' AND expires_at > ?1 THEN 1 ELSE 0 END), 0),
       coalesce(sum(CASE WHEN state = 'failed' AND expires_at > ?1 THEN 1 ELSE 0 END), 0),
       coalesce(sum(CASE WHEN (state = 'in_flight' AND lease_until <= ?1 AND expires_at > ?1
           AND after_lease = 'hold') THEN 1 ELSE 0 END), 0),
       coalesce(sum(CASE WHEN NOT (expires_at > ?1 OR (state = 'in_flight' AND lease_until > ?1)) THEN 1 ELSE 0 END), 0)
FROM makegood_idempotency
WHERE (?2 = '' OR tenant_id = ?2) AND (?3 = 0 OR scope = ?4)

-- name: forget_key
DELETE FROM makegood_idempotency
WHERE tenant_id = ?2 AND scope = ?3 AND key = ?4 AND NOT (state = 'in_flight' AND lease_until > ?1)
RETURNING tenant_id

-- name: resolve_key
-- Another token: whoever had the key before is fenced.
UPDATE makegood_idempotency
SET state = ?5, token = ?6, failure_code = ?7, result_digest = ?8, result_kind = ?9, result_status = ?10,
    result_headers = ?11, result_body = ?12, expires_at = max(expires_at, ?1 + ttl_ms), updated_at = ?1
WHERE tenant_id = ?2 AND scope = ?3 AND key = ?4 AND state = 'in_flight' AND lease_until <= ?1 AND expires_at > ?1
RETURNING tenant_id

-- name: purge_keys
-- The condition stands twice: a key may be claimed anew between the two.
DELETE FROM makegood_idempotency
WHERE (tenant_id, scope, key) IN (
              SELECT tenant_id, scope, key FROM makegood_idempotency
              WHERE expires_at < ?3 - ?1 AND NOT (state = 'in_flight' AND lease_until > ?3)
              ORDER BY expires_at
              LIMIT ?2)
  AND expires_at < ?3 - ?1 AND NOT (state = 'in_flight' AND lease_until > ?3)
RETURNING tenant_id
