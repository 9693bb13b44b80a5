#!/usr/bin/env python3
"""producer.py DATABASE: invoices, payments and refunds, each with its message in the same SQLite transaction.

Nothing of Makegood is needed here: a message is a row of makegood_outbox.
"""

import contextlib
import json
import sqlite3
import sys


@contextlib.contextmanager
def transaction(database):
    """All of it, or nothing. IMMEDIATE: what is read in it is still true when it writes."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:  # A full disk has ended it already.
            database.execute("ROLLBACK")
        raise


def enqueue(database, topic, event):
    """Messages of one invoice arrive in their order, because they have the same key."""
    if not database.in_transaction:
        raise RuntimeError("a message belongs into the transaction of what it tells")
    database.execute("INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload) VALUES (?, ?, ?, ?)",
                     (topic, event["tenantId"], event["invoiceId"], json.dumps(event, separators=(",", ":"))))


def generate_invoice(database, tenant, total):
    with transaction(database):
        row = database.execute("INSERT INTO invoice (tenant, total) VALUES (?, ?)", (tenant, total))
        invoice = f"inv-{row.lastrowid}"
        enqueue(database, "billing.invoice.generated.v1",
                {"tenantId": tenant, "invoiceId": invoice, "periodStart": "2026-10-01", "periodEnd": "2026-10-31",
                 "total": total, "currency": "EUR"})
    return row.lastrowid


def pay(database, tenant, number, amount, is_declined=False):
    with transaction(database):
        database.execute("UPDATE invoice SET paid = paid + ? WHERE id = ?", (amount, number))
        enqueue(database, "billing.payment.succeeded.v1",
                {"tenantId": tenant, "invoiceId": f"inv-{number}", "transactionId": f"tx-{number}",
                 "paymentMethod": "card", "amount": amount, "currency": "EUR", "occurredTime": "2026-11-16T09:30:00Z"})
        if is_declined:
            raise ValueError("the card was declined")  # The message goes with the row.


def refund(database, tenant, number, amount):
    with transaction(database):
        database.execute("UPDATE invoice SET paid = paid - ? WHERE id = ?", (amount, number))
        enqueue(database, "billing.refund.succeeded.v1",
                {"tenantId": tenant, "invoiceId": f"inv-{number}", "refundId": f"re-{number}", "amount": amount,
                 "currency": "EUR", "occurredTime": "2026-11-16T11:45:00Z"})


def main(path):
    with contextlib.closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as database:
        database.execute("CREATE TABLE IF NOT EXISTS invoice"
                         " (id INTEGER PRIMARY KEY, tenant TEXT, total INTEGER, paid INTEGER DEFAULT 0)")
        number = generate_invoice(database, "acme", 1990)
        pay(database, "acme", number, 1990)
        with contextlib.suppress(ValueError):
            pay(database, "acme", number, 1, is_declined=True)
        refund(database, "acme", number, 500)
        print(f"inv-{number}: generated, paid and refunded; three messages are committed with it")


if __name__ == "__main__":
    main(sys.argv[1])
