-- psql -X -v ON_ERROR_STOP=1 -f producer.sql URL: invoices, payments and refunds, each with its message in the same
-- transaction. Nothing of Makegood is needed here: a message is a row of makegood_outbox.
\set QUIET on
SET client_min_messages = warning;
CREATE TABLE IF NOT EXISTS invoice (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant text, total bigint, paid bigint DEFAULT 0);

-- Generated. One statement is a transaction of its own.
WITH made AS (INSERT INTO invoice (tenant, total) VALUES ('acme', 1990) RETURNING id)
INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload)
SELECT 'billing.invoice.generated.v1', 'acme', 'inv-' || id,
  format('{"tenantId":"acme","invoiceId":"inv-%s","periodStart":"2026-10-01","periodEnd":"2026-10-31",'
    '"total":1990,"currency":"EUR"}', id)::json
FROM made;
SELECT max(id) AS number, 'inv-' || max(id) AS invoice FROM invoice \gset

-- Paid. Locked before the message gets its number: so messages of an invoice are in the order of its changes.
BEGIN;
UPDATE invoice SET paid = paid + 1990 WHERE id = :number;
INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload)
VALUES ('billing.payment.succeeded.v1', 'acme', :'invoice',
  format('{"tenantId":"acme","invoiceId":%s,"transactionId":"tx-%s","paymentMethod":"card","amount":1990,'
    '"currency":"EUR","occurredTime":"2026-11-16T09:30:00Z"}', to_json(:'invoice'::text), :number)::json);
COMMIT;

-- Paid again, and declined: the message goes with the row.
BEGIN;
UPDATE invoice SET paid = paid + 1 WHERE id = :number;
INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload)
VALUES ('billing.payment.succeeded.v1', 'acme', :'invoice', '{"amount":1}');
ROLLBACK;

-- Refunded.
BEGIN;
UPDATE invoice SET paid = paid - 500 WHERE id = :number;
INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload)
VALUES ('billing.refund.succeeded.v1', 'acme', :'invoice',
  format('{"tenantId":"acme","invoiceId":%s,"refundId":"re-%s","amount":500,"currency":"EUR",'
    '"occurredTime":"2026-11-16T11:45:00Z"}', to_json(:'invoice'::text), :number)::json);
COMMIT;
\echo :invoice: generated, paid and refunded; three messages are committed with it
