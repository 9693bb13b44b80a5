"""The consumer of examples/idempotency: seen, effect and enqueue in one transaction. It, the relay before it and the
relay behind it are killed again and again. The ledger is a receiver of its own: for each order it is told of exactly
one invoice, by exactly one message."""

import collections
import contextlib
import importlib.util
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.environ.get("MAKEGOOD_EXAMPLES", os.path.join(HERE, "..", "..", "..", "examples"))
sys.path.insert(0, os.path.join(HERE, "..", "server"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

from daemon import GENEROUS_SECONDS, PROGRAM, Daemon, DaemonCase, clean_environment  # noqa: E402
from postgres_database import ask, database_of, needs_postgres  # noqa: E402

sys.path.insert(0, os.path.join(EXAMPLES, "idempotency", "consumer"))
from consumer import APPLIED, EXPIRED, REPEATED, apply_event  # noqa: E402

DEBIAN_PYTHON = "/usr/bin/python3"  # The driver for PostgreSQL is Debian's, and only this one sees it.
INVOICES = "SELECT count(*), count(DISTINCT order_id), sum(amount) FROM invoice"
ORDERS = 200
KILLS = 12
BASE = "/api/outboxes/makegood_outbox"


def python_with_driver():
    has_driver = importlib.util.find_spec("psycopg2") is not None
    return sys.executable if has_driver or not os.path.exists(DEBIAN_PYTHON) else DEBIAN_PYTHON


class Consumer:
    def __init__(self, folder, program, *flags):
        self.folder, self.program, self.flags, self.port = folder, program, flags, 0
        self.start()

    def start(self):
        program = os.path.join(EXAMPLES, "idempotency", "consumer", self.program)
        self.process = subprocess.Popen([python_with_driver(), "-B", program, "--port", str(self.port), *self.flags],
                                        cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        encoding="utf-8")
        self.port = int(self.process.stdout.readline().split()[-1])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class ConsumerCase(DaemonCase):
    def store_of(self, name):
        return f"sqlite:{name}.db"

    def migrated(self, name):
        folder = self.path(name)
        os.mkdir(folder)
        for what in ((), ("--idempotency",)):
            subprocess.run([PROGRAM, "migrate", *what, "--store", self.store_of(name)], cwd=folder, check=True,
                           env=clean_environment(), stdout=subprocess.DEVNULL, timeout=60)
        return folder

    def serve(self, folder, name, listen="127.0.0.1:0"):
        daemon = Daemon(folder, "--set", "tx.outbox.lease_ms=2s", store=self.store_of(name), listen=listen)
        self.addCleanup(daemon.clear_away)
        self.assertIsNotNone(daemon.address, daemon.log())
        return daemon

    def lead(self, daemon, pattern, url):
        self.await_(lambda: daemon.ask("GET", "/readyz").status == 200, "it becomes ready")
        self.settle(daemon, daemon.ask("PUT", f"{BASE}/destinations/http:next", {
            "http": {"url": url}, "retry": {"base_ms": 20, "cap_ms": 300, "attempts_max": 1000},
            "circuit": {"failures_max": 0}}))
        self.settle(daemon, daemon.ask("PUT", f"{BASE}/routes", {
            "routes": [{"pattern": pattern, "destination": "http:next"}], "reason": "a try"}))


class Inbox(ConsumerCase):
    def test_knows_what_was_applied_and_what_is_too_old_to_know(self):
        folder = self.migrated("billing")
        database = sqlite3.connect(os.path.join(folder, "billing.db"), isolation_level=None)
        self.addCleanup(database.close)
        database.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY, order_id INTEGER, amount INTEGER)")
        order = {"order": 7, "amount": 1}
        outcomes = [apply_event(database, "shop", "e1", 1000, order) for _ in range(2)]
        self.assertEqual(outcomes, [APPLIED, REPEATED])
        database.execute("INSERT INTO makegood_inbox_watermark VALUES ('billing', 5000)")
        self.assertEqual(apply_event(database, "shop", "e2", 4999, order), EXPIRED)
        self.assertFalse(database.in_transaction)
        for table in ("invoice", "makegood_outbox WHERE topic = 'invoice.made'"):
            self.assertEqual(database.execute(f"SELECT count(*) FROM {table}").fetchone(), (1,))


class Killed(ConsumerCase):
    def consumer(self, folder):
        return Consumer(folder, "consumer.py")

    def invoices(self, folder):
        """How many there are, for how many orders, and what they come to."""
        with contextlib.closing(sqlite3.connect(os.path.join(folder, "billing.db"))) as database:
            return database.execute(INVOICES).fetchone()

    def test_each_event_has_exactly_one_effect_whoever_is_killed(self):
        seed = int(os.environ.get("MAKEGOOD_KILL_SEED", "0")) or random.SystemRandom().randrange(1 << 30)
        chance = random.Random(seed)
        ledger = self.receiver()
        folders = {name: self.migrated(name) for name in ("shop", "billing")}
        consumer = self.consumer(folders["billing"])
        self.addCleanup(lambda: consumer.kill())
        daemons = {name: self.serve(folder, name) for name, folder in folders.items()}
        self.lead(daemons["shop"], "order.*", f"http://127.0.0.1:{consumer.port}/")
        self.lead(daemons["billing"], "invoice.*", ledger.url)
        self.place_orders(folders["shop"])
        for _ in range(KILLS):
            time.sleep(chance.uniform(0.02, 0.5))
            whom = chance.choice(("consumer", "shop", "billing"))
            if whom == "consumer":
                consumer.kill()
                consumer.start()
            else:
                address = daemons[whom].address
                daemons[whom].clear_away()
                daemons[whom] = self.serve(folders[whom], whom, listen=address)
        self.await_(lambda: len(self.told(ledger)) == ORDERS, f"every order is told of, seed {seed}",
                    4 * GENEROUS_SECONDS)
        self.check(ledger, folders["billing"], seed)

    def place_orders(self, folder):
        with sqlite3.connect(os.path.join(folder, "shop.db")) as database:
            database.executemany("INSERT INTO makegood_outbox (topic, payload) VALUES ('order.placed', ?)",
                                 [(json.dumps({"order": number, "amount": number}),) for number in range(ORDERS)])

    def told(self, ledger):
        """By order: the messages and the invoices that it was told of."""
        told = collections.defaultdict(set)
        for message_id, body in list(ledger.bodies):
            content = json.loads(body)
            told[content["order"]].add((message_id, content["invoice"]))
        return told

    def check(self, ledger, folder, seed):
        told = self.told(ledger)
        self.assertEqual([order for order, invoices in told.items() if len(invoices) != 1], [], f"seed {seed}")
        self.assertEqual(self.invoices(folder), (ORDERS, ORDERS, sum(range(ORDERS))), f"seed {seed}")
        repeats = len(ledger.bodies) - ORDERS
        print(f"seed {seed}: {ORDERS} orders, {KILLS} kills, {repeats} repeats to the ledger", flush=True)


@needs_postgres
class KilledOnPostgres(Killed):
    """The consumer's database is one of a server; the shop's stays a file."""

    def setUp(self):
        super().setUp()
        self.url = database_of(self)

    def store_of(self, name):
        return self.url if name == "billing" else super().store_of(name)

    def consumer(self, folder):
        return Consumer(folder, "consumer_postgres.py", "--database", self.url)

    def invoices(self, folder):
        return tuple(int(figure) for figure in ask(self.url, INVOICES).split("|"))


if __name__ == "__main__":
    unittest.main()
