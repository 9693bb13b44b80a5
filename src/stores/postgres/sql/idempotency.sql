-- name: key_session_settings
-- A statement that stands alone is durable when it is answered, and waits for nobody for ever. Our statements are made for their
-- indexes, also where they join keys that we name with those of the table; a plan from when a table was empty must not stay when it is
-- full. A standby may lag behind, and is refused. Not for a session
-- behind a pooler.
DO $$ BEGIN
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'Keys are claimed on the primary only; this is a standby.' USING ERRCODE = '25006';
  END IF;
END $$;
SET jit = off;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET plan_cache_mode = force_generic_plan;
SET lock_timeout = '1s';
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local');

-- name: look_up_keys
-- The clock comes with each key, there or not. Writes nothing. LIMIT 1 leaves the planner no other way than the index, however
-- many keys it expects.
SELECT w.place, c.now, k.tenant_id, k.scope, k.key, k.fingerprint, k.state, k.token, k.after_lease, k.lease_until,
       k.expires_at, k.created_at, k.updated_at, k.ttl_ms, k.claims, k.failure_code, k.is_final, k.result_digest,
       k.result_kind, k.result_status, k.result_headers, k.result_body
FROM (SELECT coalesce($2, clock_timestamp()) AS now) AS c
CROSS JOIN json_to_recordset($1::json) AS w (place bigint, tenant_id text, scope text, key text, fingerprint text, token text,
       after_lease text, ttl_ms bigint, lease_ms bigint)
LEFT JOIN LATERAL (SELECT * FROM {schema}makegood_idempotency AS one
                   WHERE one.tenant_id = w.tenant_id AND one.scope = w.scope AND one.key = w.key LIMIT 1) AS k
  ON true

-- name: take_keys
-- In the order of keys, so that two of these never wait for each other. A key that is not answered was not takeable.
INSERT INTO {schema}makegood_idempotency
  (tenant_id, scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, ttl_ms)
SELECT w.tenant_id, w.scope, w.key, w.fingerprint, 'in_flight', w.token, w.after_lease,
       c.now + w.lease_ms * interval '1 ms', c.now + greatest(w.ttl_ms, w.lease_ms) * interval '1 ms', c.now, c.now, w.ttl_ms
FROM (SELECT coalesce($2, clock_timestamp()) AS now) AS c
CROSS JOIN json_to_recordset($1::json) AS w (place bigint, tenant_id text, scope text, key text, fingerprint text, token text,
       after_lease text, ttl_ms bigint, lease_ms bigint)
WHERE true
ORDER BY w.tenant_id COLLATE "C", w.scope COLLATE "C", w.key COLLATE "C"
-- include: key_takeover
RETURNING tenant_id, scope, key

-- name: take_key_once
-- Claimed and finished in one, in the caller's transaction.
INSERT INTO {schema}makegood_idempotency
  (tenant_id, scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, ttl_ms,
   result_digest, result_kind, result_status, result_headers, result_body)
SELECT $2, $3, $4, $5, 'succeeded', $6, 'take_over', c.now, c.now + $7 * interval '1 ms', c.now, c.now, $7, $8, $9, $10, $11, $12
FROM (SELECT coalesce($1, clock_timestamp()) AS now) AS c
WHERE true
-- include: key_takeover
RETURNING tenant_id

-- name: renew_key
UPDATE {schema}makegood_idempotency
SET lease_until = coalesce($1, clock_timestamp()) + $6 * interval '1 ms', expires_at = greatest(expires_at, coalesce($1,
    clock_timestamp()) + $6 * interval '1 ms'), updated_at = coalesce($1, clock_timestamp())
WHERE tenant_id = $2 AND scope = $3 AND key = $4 AND token = $5 AND state = 'in_flight'
RETURNING lease_until

-- name: finish_key
UPDATE {schema}makegood_idempotency
SET state = 'succeeded', result_digest = $6, result_kind = $7, result_status = $8, result_headers = $9, result_body = $10,
    expires_at = greatest(expires_at, coalesce($1, clock_timestamp()) + ttl_ms * interval '1 ms'), updated_at = coalesce($1,
        clock_timestamp())
WHERE tenant_id = $2 AND scope = $3 AND key = $4 AND token = $5 AND state = 'in_flight'
RETURNING tenant_id

-- name: finish_keys
-- In one statement: what a table checks of its rows is prepared once for each statement, and costs more than the row. In the order of
-- keys, as they are given. Of a key that is in it twice one place is answered.
UPDATE {schema}makegood_idempotency AS k
SET state = 'succeeded', result_digest = w.digest, result_kind = w.kind, result_status = w.status, result_headers = w.headers,
    result_body = decode(w.body, 'base64'), expires_at = greatest(k.expires_at, c.now + k.ttl_ms * interval '1 ms'), updated_at = c.now
FROM (SELECT coalesce($2, clock_timestamp()) AS now) AS c
CROSS JOIN json_to_recordset($1::json) AS w (place bigint, tenant_id text, scope text, key text, token text, digest text, kind text,
       status integer, headers text, body text)
WHERE k.tenant_id = w.tenant_id AND k.scope = w.scope AND k.key = w.key AND k.token = w.token AND k.state = 'in_flight'
RETURNING w.place

-- name: fail_key
UPDATE {schema}makegood_idempotency
SET state = 'failed', failure_code = $6, is_final = $7, expires_at = greatest(expires_at, coalesce($1,
    clock_timestamp()) + ttl_ms * interval '1 ms'), updated_at = coalesce($1, clock_timestamp())
WHERE tenant_id = $2 AND scope = $3 AND key = $4 AND token = $5 AND state = 'in_flight'
RETURNING tenant_id

-- name: list_keys
SELECT 0, coalesce($1, clock_timestamp()), tenant_id, scope, key, fingerprint, state, token, after_lease, lease_until,
       expires_at, created_at, updated_at, ttl_ms, claims, failure_code, is_final, result_digest, result_kind,
       result_status, result_headers, result_body
FROM {schema}makegood_idempotency
WHERE ($2 = '' OR tenant_id = $2) AND ($3 = 0 OR scope = $4)
  AND (tenant_id, scope, key) > ($5, $6, $7)
  AND ($8 = 0 OR (state = 'in_flight' AND lease_until <= coalesce($1, clock_timestamp()) AND expires_at > coalesce($1,
      clock_timestamp()) AND after_lease = 'hold'))
  AND (expires_at > coalesce($1, clock_timestamp()) OR (state = 'in_flight' AND lease_until > coalesce($1, clock_timestamp())))
ORDER BY tenant_id, scope, key
LIMIT $9

-- name: count_keys
-- In flight, succeeded, failed, in doubt, and over: those that are still there and count for nothing.
SELECT coalesce(sum(CASE WHEN state = 'in_flight' AND lease_until > coalesce($1, clock_timestamp()) THEN 1 ELSE 0 END), 0)::bigint,
       coalesce(sum(CASE WHEN state = 'succeeded' AND expires_at > coalesce($1, clock_timestamp()) THEN 1 ELSE 0 END), 0)::bigint,
       coalesce(sum(CASE WHEN state = 'failed' AND expires_at > coalesce($1, clock_timestamp()) THEN 1 ELSE 0 END), 0)::bigint,
       coalesce(sum(CASE WHEN (state = 'in_flight' AND lease_until <= coalesce($1, clock_timestamp())
           AND expires_at > coalesce($1, clock_timestamp()) AND after_lease = 'hold') THEN 1 ELSE 0 END), 0)::bigint,
       coalesce(sum(CASE WHEN NOT (expires_at > coalesce($1, clock_timestamp()) OR (state = 'in_flight'
           AND lease_until > coalesce($1, clock_timestamp()))) THEN 1 ELSE 0 END), 0)::bigint
FROM {schema}makegood_idempotency
WHERE ($2 = '' OR tenant_id = $2) AND ($3 = 0 OR scope = $4)

-- name: forget_key
DELETE FROM {schema}makegood_idempotency
WHERE tenant_id = $2 AND scope = $3 AND key = $4 AND NOT (state = 'in_flight' AND lease_until > coalesce($1, clock_timestamp()))
RETURNING tenant_id

-- name: resolve_key
-- Another token: whoever had the key before is fenced.
UPDATE {schema}makegood_idempotency
SET state = $5, token = $6, failure_code = $7, result_digest = $8, result_kind = $9, result_status = $10,
    result_headers = $11, result_body = $12, expires_at = greatest(expires_at, coalesce($1,
        clock_timestamp()) + ttl_ms * interval '1 ms'), updated_at = coalesce($1, clock_timestamp())
WHERE tenant_id = $2 AND scope = $3 AND key = $4 AND state = 'in_flight' AND lease_until <= coalesce($1, clock_timestamp())
    AND expires_at > coalesce($1, clock_timestamp())
RETURNING tenant_id

-- name: purge_keys
-- The condition stands twice: a key may be claimed anew between the two. An array is made once; a plan from when the table was empty
-- would run a subquery anew for each key, and with it the limit. The clock is asked once, or no index would do.
DELETE FROM {schema}makegood_idempotency
WHERE ctid = ANY (ARRAY(
              SELECT ctid FROM {schema}makegood_idempotency
              WHERE expires_at < (SELECT coalesce($3, clock_timestamp()) - $1 * interval '1 ms')
                AND NOT (state = 'in_flight' AND lease_until > (SELECT coalesce($3, clock_timestamp())))
              ORDER BY expires_at
              LIMIT $2 FOR UPDATE SKIP LOCKED))
  AND expires_at < coalesce($3, clock_timestamp()) - $1 * interval '1 ms' AND NOT (state = 'in_flight'
      AND lease_until > coalesce($3, clock_timestamp()))
RETURNING tenant_id
