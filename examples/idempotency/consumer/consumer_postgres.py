#!/usr/bin/env python3
"""The consumer beside this file, with its invoices in PostgreSQL: inbox, effect and next message are one transaction.

    makegood migrate --store postgres://… && makegood migrate --idempotency --store postgres://…
    python3 consumer_postgres.py --port 8081 --database postgres://…

Needs psycopg2.
"""

import argparse
import contextlib
import json

import psycopg2
from consumer import APPLIED, EXPIRED, REPEATED, Consumer, Server

INVOICES = "CREATE TABLE IF NOT EXISTS invoice (id bigserial PRIMARY KEY, order_id bigint, amount bigint)"


def apply_event(connection, source, event_id, event_time, order):
    """All of it or nothing: whoever brings the same event meanwhile waits at its first statement."""
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT makegood_inbox_seen('billing', %s, 'default', %s, %s)", (source, event_id, event_time))
        seen = cursor.fetchone()[0]
        if seen != "fresh":
            return REPEATED if seen == "repeat" else EXPIRED
        cursor.execute("INSERT INTO invoice (order_id, amount) VALUES (%s, %s) RETURNING id",
                       (order["order"], order["amount"]))
        number = cursor.fetchone()[0]
        cursor.execute("INSERT INTO makegood_outbox (topic, dispatch_key, payload) VALUES ('invoice.made', %s, %s)",
                       (str(order["order"]), json.dumps({"invoice": number, "order": order["order"]})))
        return APPLIED


class PostgresConsumer(Consumer):
    def outcome(self, order):
        try:
            with contextlib.closing(psycopg2.connect(self.server.path)) as connection:
                return apply_event(connection, self.headers["ce-source"], self.headers["webhook-id"],
                                   self.headers["ce-time"], order)
        except psycopg2.OperationalError:
            return None


def main():
    parser = argparse.ArgumentParser(description="Applies each event exactly once in effect, in PostgreSQL.")
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument("--database", required=True)
    options = parser.parse_args()
    with contextlib.closing(psycopg2.connect(options.database)) as connection:
        with connection, connection.cursor() as cursor:
            cursor.execute(INVOICES)
    server = Server(("127.0.0.1", options.port), PostgresConsumer)
    server.path = options.database
    print(f"listening on port {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
