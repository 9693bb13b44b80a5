-- name: idempotency_0001_keys
-- One row per key. Equality is by bytes, whatever the database's collation is.
CREATE TABLE {schema}makegood_idempotency (
  tenant_id      text COLLATE "C" NOT NULL DEFAULT 'default',
  scope          text COLLATE "C" NOT NULL DEFAULT '',
  key            text COLLATE "C" NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 255),
  fingerprint    text        NOT NULL CHECK (fingerprint <> ''),
  state          text        NOT NULL CHECK (state IN ('in_flight', 'succeeded', 'failed')),
  token          text        NOT NULL CHECK (token <> ''),
  after_lease    text        NOT NULL CHECK (after_lease IN ('take_over', 'hold')),
  lease_until    timestamptz NOT NULL,
  expires_at     timestamptz NOT NULL,
  created_at     timestamptz NOT NULL,
  updated_at     timestamptz NOT NULL,
  ttl_ms         bigint      NOT NULL CHECK (ttl_ms > 0),
  claims         bigint      NOT NULL DEFAULT 1,
  failure_code   text        NOT NULL DEFAULT '',
  is_final       boolean     NOT NULL DEFAULT false,
  result_digest  text        NOT NULL DEFAULT '' CHECK (octet_length(result_digest) <= 4096),
  result_kind    text        NOT NULL DEFAULT 'none' CHECK (result_kind IN ('none', 'snapshot', 'truncated')),
  result_status  integer     NOT NULL DEFAULT 0,
  result_headers text        NOT NULL DEFAULT '',
  result_body    bytea       NOT NULL DEFAULT '',
  PRIMARY KEY (tenant_id, scope, key)
) WITH (fillfactor = 80);

CREATE INDEX makegood_idempotency_expiry ON {schema}makegood_idempotency (expires_at);

-- name: idempotency_0001_keys_down
DROP TABLE IF EXISTS {schema}makegood_idempotency;
DELETE FROM {schema}makegood_migration WHERE outbox = {text} AND number = 1;
