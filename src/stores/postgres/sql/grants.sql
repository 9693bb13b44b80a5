-- name: grants
-- What each role needs, and no more. Run it as the owner of the tables, after each migration; it can be run again.

-- Producers write messages with a plain INSERT. The number is not theirs to choose.
GRANT INSERT (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
              traceparent, tracestate, created_at, available_at, expires_at)
  ON {outbox} TO %producer%;
-- For RETURNING sequence and for ON CONFLICT; and to tell a message that is there already from another one with its id.
GRANT SELECT (sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers)
  ON {outbox} TO %producer%;
GRANT EXECUTE ON FUNCTION {outbox}_enqueue, {outbox}_enqueue_all, {schema}makegood_event_id TO %producer%;
-- The same under one name for all outboxes, where the database has that. It may belong to somebody else.
DO $makegood$ BEGIN
  IF to_regproc('makegood.enqueue') IS NOT NULL THEN
    GRANT USAGE ON SCHEMA makegood TO %producer%;
    GRANT EXECUTE ON FUNCTION makegood.function_of, makegood.enqueue, makegood.enqueue_all TO %producer%;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'The schema makegood is not yours: whether producers may use makegood.enqueue is up to its owner.';
END $makegood$;

-- The relay, REST and the command line. None of them changes a message, or a table.
GRANT SELECT, DELETE ON {outbox} TO %relay%;
GRANT INSERT (event_id, tenant_id, topic, dispatch_key, priority, payload, body, content_type, headers, envelope_id,
              traceparent, tracestate, created_at, available_at, expires_at)
  ON {outbox} TO %relay%;
GRANT EXECUTE ON FUNCTION {schema}makegood_event_id TO %relay%;
GRANT SELECT ON SEQUENCE {outbox}_number TO %relay%;
GRANT SELECT, INSERT, DELETE ON {outbox}_turn TO %relay%;
GRANT SELECT, INSERT, UPDATE, DELETE ON {outbox}_parked TO %relay%;
GRANT SELECT, INSERT, UPDATE, DELETE ON {outbox}_request TO %relay%;
GRANT SELECT, INSERT, DELETE ON {outbox}_kept TO %relay%;
GRANT SELECT, INSERT, UPDATE, DELETE ON {outbox}_route TO %relay%;
GRANT SELECT ON {outbox}_status, {outbox}_status_003 TO %relay%;
GRANT SELECT ON {schema}makegood_migration TO %relay%;
GRANT SELECT, INSERT, UPDATE ON {schema}makegood_store TO %relay%;
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}makegood_node TO %relay%;
-- Whether a transaction that has drawn a number stands still is told only to members of this role (pg_stat_activity.state). Without
-- it, one that somebody has left open keeps the number of every rollback elsewhere open until it ends.
DO $grant$
BEGIN
  GRANT pg_read_all_stats TO %relay%;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE WARNING 'An administrator has to grant pg_read_all_stats to the role of the relay, if it is no member yet.';
END $grant$;

-- Idempotency keys and the inbox, where there are such tables. Applications claim, finish and apply events in their own transactions, by
-- views and functions that act with their rights; they cannot forget a key. Makegood's role also resolves, forgets and purges.
DO $keys$ BEGIN
  IF to_regclass($name${schema}makegood_inbox$name$) IS NULL THEN
    RETURN;
  END IF;
  GRANT SELECT, INSERT, UPDATE ON {schema}makegood_idempotency TO %producer%;
  GRANT SELECT, INSERT ON {schema}makegood_idempotency_claim, {schema}makegood_idempotency_once, {schema}makegood_idempotency_renew,
    {schema}makegood_idempotency_finish, {schema}makegood_idempotency_fail TO %producer%;
  GRANT EXECUTE ON FUNCTION {schema}makegood_idempotency_claim, {schema}makegood_idempotency_once, {schema}makegood_idempotency_renew,
    {schema}makegood_idempotency_finish, {schema}makegood_idempotency_fail, {schema}makegood_inbox_seen,
    {schema}makegood_inbox_purged_to TO %producer%;
  GRANT SELECT, INSERT, DELETE ON {schema}makegood_inbox TO %producer%;
  GRANT SELECT, INSERT ON {schema}makegood_inbox_watermark TO %producer%;
  GRANT UPDATE (consumer) ON {schema}makegood_inbox_watermark TO %producer%; -- FOR SHARE asks for it.
  GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}makegood_idempotency, {schema}makegood_inbox, {schema}makegood_inbox_watermark
    TO %relay%;
END $keys$;

-- What is read from brokers into the log, where there are such tables.
DO $sources$ BEGIN
  IF to_regclass($name${outbox}_source$name$) IS NULL THEN
    RETURN;
  END IF;
  GRANT SELECT, INSERT, UPDATE, DELETE ON {outbox}_source, {outbox}_source_place TO %relay%;
END $sources$;

-- name: saga_grants
-- Of a log of sagas also these. Whoever may write to the log may start an execution.
GRANT EXECUTE ON FUNCTION {outbox}_start TO %producer%;
DO $makegood$ BEGIN
  IF to_regproc('makegood.start_saga') IS NOT NULL THEN
    GRANT EXECUTE ON FUNCTION makegood.start_saga TO %producer%;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'The schema makegood is not yours: whether producers may use makegood.start_saga is up to its owner.';
END $makegood$;
GRANT SELECT, INSERT, DELETE ON {outbox}_journal, {outbox}_end TO %relay%;
GRANT SELECT ON {outbox}_record, {outbox}_defined_step, {outbox}_step, {outbox}_step_execution, {outbox}_execution,
  {outbox}_compensation_log, {outbox}_manual_intervention TO %relay%;
GRANT SELECT, INSERT, UPDATE, DELETE ON {outbox}_waiting, {outbox}_key TO %relay%;
GRANT SELECT ON {outbox}_secret TO %relay%;
GRANT SELECT, INSERT, UPDATE, DELETE ON {outbox}_summary TO %relay%;
GRANT SELECT, UPDATE ON {outbox}_upkeep TO %relay%;
GRANT SELECT, INSERT ON {outbox}_definition TO %relay%;
