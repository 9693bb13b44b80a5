#!/usr/bin/env python3
"""producer_sqlalchemy.py URL: invoices, payments and refunds, each with its message in the same session.

Nothing of Makegood is needed here: a message is a row of makegood_outbox.
"""

import contextlib
import json
import sys

from sqlalchemy import JSON, BigInteger, Column, MetaData, String, Table, create_engine, insert, make_url
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Base(DeclarativeBase):
    pass


class Invoice(Base):
    __tablename__ = "invoice"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    tenant: Mapped[str]
    total: Mapped[int] = mapped_column(BigInteger)
    paid: Mapped[int] = mapped_column(BigInteger, default=0)


# The columns that are written here; the others have defaults. Made by `makegood migrate`, not by SQLAlchemy.
outbox = Table("makegood_outbox", MetaData(), Column("topic", String), Column("tenant_id", String),
               Column("dispatch_key", String), Column("payload", JSON))


def enqueue(session, topic, event):
    """Messages of one invoice arrive in their order, because they have the same key."""
    # First what the session has not written yet: a message gets its number when the invoice is already locked.
    session.flush()
    session.execute(insert(outbox).values(topic=topic, tenant_id=event["tenantId"], dispatch_key=event["invoiceId"],
                                          payload=event))


def generate_invoice(engine, tenant, total):
    with Session(engine) as session, session.begin():
        invoice = Invoice(tenant=tenant, total=total)
        session.add(invoice)
        session.flush()  # Draws its id.
        number = invoice.id
        enqueue(session, "billing.invoice.generated.v1",
                {"tenantId": tenant, "invoiceId": f"inv-{number}", "periodStart": "2026-10-01",
                 "periodEnd": "2026-10-31", "total": total, "currency": "EUR"})
    return number


def pay(engine, tenant, number, amount, is_declined=False):
    with Session(engine) as session, session.begin():
        session.get(Invoice, number, with_for_update=True).paid += amount
        enqueue(session, "billing.payment.succeeded.v1",
                {"tenantId": tenant, "invoiceId": f"inv-{number}", "transactionId": f"tx-{number}",
                 "paymentMethod": "card", "amount": amount, "currency": "EUR", "occurredTime": "2026-11-16T09:30:00Z"})
        if is_declined:
            raise ValueError("the card was declined")  # The message goes with the row.


def refund(engine, tenant, number, amount):
    with Session(engine) as session, session.begin():
        session.get(Invoice, number, with_for_update=True).paid -= amount
        enqueue(session, "billing.refund.succeeded.v1",
                {"tenantId": tenant, "invoiceId": f"inv-{number}", "refundId": f"re-{number}", "amount": amount,
                 "currency": "EUR", "occurredTime": "2026-11-16T11:45:00Z"})


def main(url):
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"),
                           json_serializer=lambda value: json.dumps(value, separators=(",", ":")))
    Base.metadata.create_all(engine)
    number = generate_invoice(engine, "acme", 1990)
    pay(engine, "acme", number, 1990)
    with contextlib.suppress(ValueError):
        pay(engine, "acme", number, 1, is_declined=True)
    refund(engine, "acme", number, 500)
    engine.dispose()
    print(f"inv-{number}: generated, paid and refunded; three messages are committed with it")


if __name__ == "__main__":
    main(sys.argv[1])
