"""What every producer of examples/ tells, whatever its language and its database."""

SAID = "inv-{}: generated, paid and refunded; three messages are committed with it\n"


def messages_of(invoice, number):
    """What the three changes of an invoice tell: topic, tenant, key and the exact payload."""
    told = [
        ("billing.invoice.generated.v1",
         '"periodStart":"2026-10-01","periodEnd":"2026-10-31","total":1990,"currency":"EUR"'),
        ("billing.payment.succeeded.v1",
         f'"transactionId":"tx-{number}","paymentMethod":"card","amount":1990,"currency":"EUR",'
         '"occurredTime":"2026-11-16T09:30:00Z"'),
        ("billing.refund.succeeded.v1",
         f'"refundId":"re-{number}","amount":500,"currency":"EUR","occurredTime":"2026-11-16T11:45:00Z"'),
    ]
    return [(topic, "acme", invoice, f'{{"tenantId":"acme","invoiceId":"{invoice}",{rest}}}') for topic, rest in told]
