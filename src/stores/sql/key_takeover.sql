-- The rule of base/key_rules.cpp in SQL: absent or takeable, the key becomes the claimer's; otherwise nothing is written.
ON CONFLICT (tenant_id, scope, key) DO UPDATE SET
  fingerprint = excluded.fingerprint, state = excluded.state, token = excluded.token, after_lease = excluded.after_lease,
  lease_until = excluded.lease_until, expires_at = excluded.expires_at, updated_at = excluded.updated_at, ttl_ms = excluded.ttl_ms,
  created_at = CASE WHEN makegood_idempotency.expires_at <= excluded.updated_at THEN excluded.created_at
                    ELSE makegood_idempotency.created_at END,
  claims = CASE WHEN makegood_idempotency.expires_at <= excluded.updated_at THEN 1 ELSE makegood_idempotency.claims + 1 END,
  failure_code = '', is_final = excluded.is_final, result_digest = excluded.result_digest, result_kind = excluded.result_kind,
  result_status = excluded.result_status, result_headers = excluded.result_headers, result_body = excluded.result_body
WHERE NOT (makegood_idempotency.state = 'in_flight' AND makegood_idempotency.lease_until > excluded.updated_at)
  AND (makegood_idempotency.expires_at <= excluded.updated_at
       OR (makegood_idempotency.fingerprint = excluded.fingerprint
           AND ((makegood_idempotency.state = 'failed' AND NOT makegood_idempotency.is_final)
                OR (makegood_idempotency.state = 'in_flight' AND makegood_idempotency.after_lease = 'take_over'))))
