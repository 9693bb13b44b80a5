#!/usr/bin/env python3
"""producer_psycopg.py URL: invoices, payments and refunds, each with its message in the same PostgreSQL transaction.

Nothing of Makegood is needed here: a message is a row of makegood_outbox.
"""

import contextlib
import json
import sys

import psycopg


def enqueue(database, topic, event):
    """Messages of one invoice arrive in their order, because they have the same key."""
    if database.info.transaction_status != psycopg.pq.TransactionStatus.INTRANS:
        raise RuntimeError("a message belongs into the transaction of what it tells")
    database.execute("INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload) VALUES (%s, %s, %s, %s)",
                     (topic, event["tenantId"], event["invoiceId"], json.dumps(event, separators=(",", ":"))))


def generate_invoice(database, tenant, total):
    with database.transaction():
        row = database.execute("INSERT INTO invoice (tenant, total) VALUES (%s, %s) RETURNING id", (tenant, total))
        number = row.fetchone()[0]
        enqueue(database, "billing.invoice.generated.v1",
                {"tenantId": tenant, "invoiceId": f"inv-{number}", "periodStart": "2026-10-01",
                 "periodEnd": "2026-10-31", "total": total, "currency": "EUR"})
    return number


def pay(database, tenant, number, amount, is_declined=False):
    with database.transaction():
        # Locked before the message gets its number: so messages of an invoice are in the order of its changes.
        database.execute("UPDATE invoice SET paid = paid + %s WHERE id = %s", (amount, number))
        enqueue(database, "billing.payment.succeeded.v1",
                {"tenantId": tenant, "invoiceId": f"inv-{number}", "transactionId": f"tx-{number}",
                 "paymentMethod": "card", "amount": amount, "currency": "EUR", "occurredTime": "2026-11-16T09:30:00Z"})
        if is_declined:
            raise ValueError("the card was declined")  # The message goes with the row.


def refund(database, tenant, number, amount):
    with database.transaction():
        database.execute("UPDATE invoice SET paid = paid - %s WHERE id = %s", (amount, number))
        enqueue(database, "billing.refund.succeeded.v1",
                {"tenantId": tenant, "invoiceId": f"inv-{number}", "refundId": f"re-{number}", "amount": amount,
                 "currency": "EUR", "occurredTime": "2026-11-16T11:45:00Z"})


def main(url):
    with psycopg.connect(url, autocommit=True) as database:
        database.execute("CREATE TABLE IF NOT EXISTS invoice (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                         " tenant text, total bigint, paid bigint DEFAULT 0)")
        number = generate_invoice(database, "acme", 1990)
        pay(database, "acme", number, 1990)
        with contextlib.suppress(ValueError):
            pay(database, "acme", number, 1, is_declined=True)
        refund(database, "acme", number, 500)
        print(f"inv-{number}: generated, paid and refunded; three messages are committed with it")


if __name__ == "__main__":
    main(sys.argv[1])
