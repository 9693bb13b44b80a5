#!/usr/bin/env python3
"""Applies each event exactly once in effect: `seen`, the effect and the next message are one transaction.

    makegood migrate --store sqlite:billing.db && makegood migrate --idempotency --store sqlite:billing.db
    python3 consumer.py --port 8081 --database billing.db

It takes events over HTTP in CloudEvents' binary mode, makes an invoice for each order, and tells others that it has.
Standard library only. Signatures are left out here; examples/receivers/python shows how they are verified.
"""

import argparse
import datetime
import http.server
import json
import sqlite3

APPLIED, REPEATED, EXPIRED = "applied", "repeated", "expired"


def milliseconds(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def apply_event(database, source, event_id, event_time, order):
    """All of it or nothing. BEGIN IMMEDIATE, so that two of the same event wait for each other."""
    try:
        database.execute("BEGIN IMMEDIATE")
        seen = database.execute("INSERT INTO makegood_inbox (consumer, source, event_id, event_time)"
                                " VALUES ('billing', ?, ?, ?) ON CONFLICT DO NOTHING", (source, event_id, event_time))
        if seen.rowcount == 0:
            database.execute("ROLLBACK")
            return REPEATED
        number = database.execute("INSERT INTO invoice (order_id, amount) VALUES (?, ?) RETURNING id",
                                  (order["order"], order["amount"])).fetchone()[0]
        database.execute("INSERT INTO makegood_outbox (topic, dispatch_key, payload) VALUES ('invoice.made', ?, ?)",
                         (str(order["order"]), json.dumps({"invoice": number, "order": order["order"]})))
        database.execute("COMMIT")
        return APPLIED
    except sqlite3.IntegrityError as error:
        # The inbox has forgotten events of that time. The trigger has rolled everything back.
        if "older than what the inbox remembers" in str(error):
            return EXPIRED
        raise


class Consumer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        outcome = self.outcome(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if outcome is None:
            return self.answer(503)  # Our trouble: it is sent again.
        # Expired is never acknowledged: whether it was applied is unknown, so it becomes a dead letter for people.
        self.answer(422 if outcome == EXPIRED else 204)

    def outcome(self, order):
        """None: nothing was done, for lack of a lock or a database."""
        database = sqlite3.connect(self.server.path, timeout=5, isolation_level=None)
        try:
            return apply_event(database, self.headers["ce-source"], self.headers["webhook-id"],
                               milliseconds(self.headers["ce-time"]), order)
        except sqlite3.OperationalError:
            return None
        finally:
            database.close()  # What was not committed is rolled back.

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


def main():
    parser = argparse.ArgumentParser(description="Applies each event exactly once in effect.")
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument("--database", default="billing.db")
    options = parser.parse_args()
    with sqlite3.connect(options.database) as database:
        database.execute("CREATE TABLE IF NOT EXISTS invoice"
                         " (id INTEGER PRIMARY KEY, order_id INTEGER, amount INTEGER)")
    server = Server(("127.0.0.1", options.port), Consumer)
    server.path = options.database
    print(f"listening on port {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
