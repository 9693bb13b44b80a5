-- name: idempotency_0001_keys
-- One row per key. Times are milliseconds since 1970.
CREATE TABLE makegood_idempotency (
  tenant_id      TEXT    NOT NULL DEFAULT 'default',
  scope          TEXT    NOT NULL DEFAULT '',
  key            TEXT    NOT NULL CHECK (length(CAST(key AS BLOB)) BETWEEN 1 AND 255),
  fingerprint    TEXT    NOT NULL CHECK (fingerprint <> ''),
  state          TEXT    NOT NULL CHECK (state IN ('in_flight', 'succeeded', 'failed')),
  token          TEXT    NOT NULL CHECK (token <> ''),
  after_lease    TEXT    NOT NULL CHECK (after_lease IN ('take_over', 'hold')),
  lease_until    INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  ttl_ms         INTEGER NOT NULL CHECK (ttl_ms > 0),
  claims         INTEGER NOT NULL DEFAULT 1,
  failure_code   TEXT    NOT NULL DEFAULT '',
  is_final       INTEGER NOT NULL DEFAULT 0,
  result_digest  TEXT    NOT NULL DEFAULT '' CHECK (length(CAST(result_digest AS BLOB)) <= 4096),
  result_kind    TEXT    NOT NULL DEFAULT 'none' CHECK (result_kind IN ('none', 'snapshot', 'truncated')),
  result_status  INTEGER NOT NULL DEFAULT 0,
  result_headers TEXT    NOT NULL DEFAULT '',
  result_body    BLOB    NOT NULL DEFAULT x'',
  PRIMARY KEY (tenant_id, scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX makegood_idempotency_expiry ON makegood_idempotency (expires_at);

-- name: idempotency_0001_keys_down
DROP TABLE IF EXISTS makegood_idempotency;
DELETE FROM makegood_migration WHERE outbox = '{outbox}' AND number = 1;
