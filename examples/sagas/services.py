"""Three services of a shop as participants of a saga: orders, stock, payments. Each has a SQLite database of its own.

python3 services.py [--folder DIR] [--orders PORT] [--stock PORT] [--payments PORT]

What makes them safe to call twice, late and in the wrong order is `Barrier`: rows in the transaction of the effect.
"""

import argparse
import contextlib
import http.server
import json
import os
import sqlite3
import threading

BARRIER = """
CREATE TABLE IF NOT EXISTS saga_barrier (
  tenant    TEXT NOT NULL,
  execution TEXT NOT NULL,
  step      TEXT NOT NULL,
  round     INTEGER NOT NULL,  -- of the action
  state     TEXT NOT NULL,     -- refused, done, failed, undone
  answer    TEXT,              -- what was answered, and will be again
  PRIMARY KEY (tenant, execution, step, round)
);
"""
# Rows for all rounds up to this one. Whoever inserts a row decides what becomes of that round; all others read it.
CLAIM = """
WITH RECURSIVE rounds (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rounds WHERE n < :round)
INSERT INTO saga_barrier (tenant, execution, step, round, state)
SELECT :tenant, :execution, :step, n, 'refused' FROM rounds WHERE true ORDER BY n
ON CONFLICT DO NOTHING RETURNING round
"""
FIND = """
SELECT state, answer FROM saga_barrier
WHERE tenant = :tenant AND execution = :execution AND step = :step AND round = :round
"""
KEEP = """
UPDATE saga_barrier SET state = :state, answer = :answer
WHERE tenant = :tenant AND execution = :execution AND step = :step AND round = :round
"""
UNDO = """
UPDATE saga_barrier SET state = 'undone'
WHERE tenant = :tenant AND execution = :execution AND step = :step AND round <= :round AND state = 'done'
RETURNING answer
"""


class Refused(Exception):
    """Certainly not done, and it will not be: the saga gets the code."""


class Barrier:
    """One step of one execution, in an open transaction of the participant."""

    def __init__(self, db, headers):
        is_action = headers["makegood-direction"] == "action"
        self.db = db
        self.key = {"tenant": headers["makegood-tenant"], "execution": headers["makegood-execution"],
                    "step": headers["makegood-step"],
                    "round": int(headers["makegood-round" if is_action else "makegood-action-round"])}

    def claim(self):
        """True: nobody has decided about this round yet, and now nobody else will."""
        return (self.key["round"],) in self.db.execute(CLAIM, self.key).fetchall()

    def act(self, effect):
        """Does it once. A repeat gets the first answer; what was compensated is refused for ever."""
        if not self.claim():
            state, answer = self.db.execute(FIND, self.key).fetchone()
            if state in ("done", "failed"):
                return (200 if state == "done" else 422), json.loads(answer)
            return 409, {"code": "COMPENSATED"}
        self.db.execute("SAVEPOINT effect")
        try:
            state, answer = "done", effect()
        except Refused as refused:
            self.db.execute("ROLLBACK TO SAVEPOINT effect")  # What has failed leaves nothing behind.
            state, answer = "failed", {"code": str(refused)}
        self.db.execute(KEEP, {**self.key, "state": state, "answer": json.dumps(answer)})
        return (200 if state == "done" else 422), answer

    def compensate(self, undo):
        """Makes sure that the action has no effect, whether it was done, is still to come, or is undone already."""
        self.claim()
        for (answer,) in self.db.execute(UNDO, self.key).fetchall():
            undo(json.loads(answer))
        return 200, {}


class Service:
    """An action is a method of its name; it gets the body. A compensation gets what the action has answered."""
    SCHEMA = ""
    READS = ()    # Actions without an effect: they need no barrier.
    UNDOES = ()   # Compensations.
    RULES = Barrier

    def __init__(self, folder):
        self.path = os.path.join(folder, type(self).__name__.lower() + ".db")
        with self.transaction() as db:
            for statement in (BARRIER + self.SCHEMA).split(";\n"):
                db.execute(statement)

    @contextlib.contextmanager
    def transaction(self):
        with contextlib.closing(sqlite3.connect(self.path, timeout=20, isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")  # Not reached after an exception: closing rolls back, and the answer is 500.

    def answer(self, path, headers, body):
        name = path.strip("/")
        act = getattr(self, name)
        with self.transaction() as db:
            if name in self.READS:
                return self.read(lambda: act(db, body))
            barrier = self.RULES(db, headers)
            if name in self.UNDOES:
                return barrier.compensate(lambda answer: act(db, answer))
            return barrier.act(lambda: act(db, body))

    @staticmethod
    def read(act):
        try:
            return 200, act()
        except Refused as refused:
            return 422, {"code": str(refused)}


class Orders(Service):
    SCHEMA = """
    CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, customer TEXT, state TEXT);
    CREATE TABLE IF NOT EXISTS mail (order_id INTEGER, text TEXT);
    """
    READS = ("validate",)
    UNDOES = ("cancel",)

    def validate(self, db, body):
        if body["quantity"] < 1:
            raise Refused("INVALID_QUANTITY")
        return {}

    def create(self, db, body):
        row = db.execute("INSERT INTO orders (customer, state) VALUES (?, 'placed')", (body["customer"],))
        return {"orderId": row.lastrowid}

    def cancel(self, db, answer):
        db.execute("UPDATE orders SET state = 'cancelled' WHERE id = ?", (answer["orderId"],))

    def notify(self, db, body):
        db.execute("INSERT INTO mail VALUES (?, 'Your order is on its way.')", (body["orderId"],))
        return {}


class Stock(Service):
    SCHEMA = """
    CREATE TABLE IF NOT EXISTS item (name TEXT PRIMARY KEY, free INTEGER);
    CREATE TABLE IF NOT EXISTS reservation (id INTEGER PRIMARY KEY, item TEXT, quantity INTEGER, state TEXT);
    INSERT OR IGNORE INTO item VALUES ('book', 1000);
    """
    READS = ("check",)
    UNDOES = ("release",)

    def check(self, db, body):
        free = db.execute("SELECT free FROM item WHERE name = ?", (body["item"],)).fetchone()
        if free is None or free[0] < body["quantity"]:
            raise Refused("OUT_OF_STOCK")
        return {"free": free[0]}

    def reserve(self, db, body):
        self.check(db, body)
        db.execute("UPDATE item SET free = free - :quantity WHERE name = :item", body)
        row = db.execute("INSERT INTO reservation (item, quantity, state) VALUES (:item, :quantity, 'reserved')", body)
        return {"reservationId": row.lastrowid, "item": body["item"], "quantity": body["quantity"]}

    def release(self, db, answer):
        db.execute("UPDATE item SET free = free + :quantity WHERE name = :item", answer)
        db.execute("UPDATE reservation SET state = 'released' WHERE id = :reservationId", answer)

    def confirm(self, db, body):
        db.execute("UPDATE reservation SET state = 'confirmed' WHERE id = ?", (body["reservationId"],))
        return {}


class Payments(Service):
    SCHEMA = """
    CREATE TABLE IF NOT EXISTS payment (id INTEGER PRIMARY KEY, customer TEXT, cents INTEGER, state TEXT);
    """
    UNDOES = ("refund",)

    def charge(self, db, body):
        if body["customer"] == "broke":
            raise Refused("INSUFFICIENT_FUNDS")
        row = db.execute("INSERT INTO payment (customer, cents, state) VALUES (:customer, :cents, 'charged')", body)
        return {"paymentId": row.lastrowid}

    def refund(self, db, answer):
        db.execute("UPDATE payment SET state = 'refunded' WHERE id = ?", (answer["paymentId"],))


def serve(service, port):
    """The server of a service, on a thread of its own."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # noqa: N802, the name is given
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                status, answer = service.answer(self.path, self.headers, body)
            except Exception as error:  # Rolled back; the saga takes it for "nobody knows", and asks again.
                status, answer = 500, {"error": str(error)}
            with contextlib.suppress(ConnectionError):  # Whoever asked is gone; it asks again.
                self.reply(status, json.dumps(answer).encode())

        def reply(self, status, text):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *arguments):
            headers = self.headers
            print(f"{type(service).__name__:9} {self.path:10} {headers['makegood-execution']} attempt "
                  f"{headers['makegood-attempt']}: {arguments[2]}", flush=True)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default=".")
    for name, port in (("orders", 8101), ("stock", 8102), ("payments", 8103)):
        parser.add_argument(f"--{name}", type=int, default=port, metavar="PORT")
    wanted = parser.parse_args()
    for kind in (Orders, Stock, Payments):
        server = serve(kind(wanted.folder), getattr(wanted, kind.__name__.lower()))
        print(f"{kind.__name__} at http://127.0.0.1:{server.server_port}/", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
