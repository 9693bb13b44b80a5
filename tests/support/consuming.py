"""From one database over a broker into another: an application that commits orders, `makegood consume` that takes them
in, and an endpoint that counts each of them once."""

import collections
import http.server
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import tempfile
import threading
import unittest

PROGRAM = os.path.abspath(os.environ["MAKEGOOD_PROGRAM"])
KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")
WAIT_SECONDS = 120
KEYS = 5


def makegood(folder, *arguments, **options):
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    environment |= {"MAKEGOOD_SERVER_OPEN_ON_LOOPBACK": "true", "MAKEGOOD_SERVER_DOOR_FOLDER": f"{folder}/door"}
    return dict(args=[PROGRAM, *arguments], cwd=folder, env=environment, encoding="utf-8", **options)


class Ledger:
    """The consumer's business: an endpoint that counts each event once, by its id, and remembers in which order the
    first deliveries came."""

    def __init__(self):
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.first = collections.OrderedDict()
        self.answers = 0
        ledger = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802, the name is given
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                ledger.take(self.headers["ce-id"], body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/in"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, event_id, body):
        with self.lock:
            self.answers += 1
            self.first.setdefault(event_id, body)
            self.changed.notify_all()

    def await_count(self, count, seconds):
        with self.lock:
            return self.changed.wait_for(lambda: len(self.first) >= count, seconds)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Daemon:
    """A verb that runs until it is ended."""

    def __init__(self, folder, *arguments):
        self.log = tempfile.TemporaryFile(mode="w+", encoding="utf-8")
        self.process = subprocess.Popen(**makegood(folder, *arguments, stdout=subprocess.PIPE, stderr=self.log))
        found = re.search(r"http://[\d.:]+", self.process.stdout.readline())
        if found is None:
            raise AssertionError(self.told())
        self.server = found.group()

    def told(self):
        self.log.seek(0)
        return self.log.read()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(60)
        self.process.stdout.close()


class ConsumeCase(unittest.TestCase):
    """A broker says how it is written to and read from: `destination()`, a line of a document, and `from_flags()`."""
    maxDiff = None
    scheme = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-consume-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.ledger = Ledger()
        self.addCleanup(self.ledger.close)
        self.daemons = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for daemon in self.daemons:
            if daemon.process.poll() is None:
                daemon.end(signal.SIGKILL)
            daemon.log.close()

    def run_daemon(self, *arguments):
        self.daemons.append(Daemon(self.folder, *arguments))
        return self.daemons[-1]

    def call(self, *arguments):
        done = subprocess.run(**makegood(self.folder, *arguments), capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def produce(self):
        """The producer's side: an outbox whose messages go to the broker."""
        with open(os.path.join(self.folder, "shop.yaml"), "w", encoding="utf-8") as file:
            file.write(f"""
destinations:
  - name: {self.scheme}:orders
    {self.scheme}: {self.destination()}
routes:
  - {{pattern: "order.*", destination: "{self.scheme}:orders"}}
""")
        return self.run_daemon("serve", "--store", "sqlite:shop.db", "--listen", "127.0.0.1:0", "--apply", "shop.yaml")

    def commit_orders(self, first, count):
        """In transactions of the application's own."""
        shop = sqlite3.connect(os.path.join(self.folder, "shop.db"), timeout=30)
        for number in range(first, first + count):
            with shop:
                shop.execute("INSERT INTO makegood_outbox (topic, dispatch_key, payload) VALUES (?, ?, ?)",
                             ("order.placed", f"k{number % KEYS}", json.dumps({"number": number})))
        shop.close()

    def consume(self, *arguments):
        return self.run_daemon("consume", "--store", "sqlite:billing.db", "--from", f"{self.scheme}:orders",
                               *self.from_flags(), "--to", self.ledger.url, *arguments)

    def taken_in(self):
        billing = sqlite3.connect(os.path.join(self.folder, "billing.db"), timeout=30)
        rows = billing.execute(f"SELECT event_id, payload FROM {self.scheme}_orders WHERE topic = 'order.placed' "
                               "ORDER BY sequence").fetchall()
        billing.close()
        return rows

    def committed(self):
        shop = sqlite3.connect(os.path.join(self.folder, "shop.db"), timeout=30)
        rows = shop.execute("SELECT event_id FROM makegood_outbox WHERE topic = 'order.placed'").fetchall()
        shop.close()
        return sorted(row[0] for row in rows)

    def expect_each_once_in_order(self, count):
        self.assertTrue(self.ledger.await_count(count, WAIT_SECONDS), self.daemons[-1].told()[-3000:])
        rows = self.taken_in()
        self.assertEqual(sorted(event_id for event_id, _ in rows), self.committed())
        self.assertEqual(sorted(self.ledger.first), self.committed())
        for key in range(KEYS):
            of_key = [body["number"] for body in self.ledger.first.values() if body["number"] % KEYS == key]
            self.assertEqual(of_key, sorted(of_key))

    def expect_kills_lose_and_double_nothing(self, rounds, of_each):
        """The consumer is killed somewhere in the middle of each round."""
        chance = random.Random(7)
        total = 0
        for _ in range(rounds):
            consumer = self.consume()
            writer = threading.Thread(target=self.commit_orders, args=(total, of_each))
            writer.start()
            total += of_each
            self.ledger.await_count(total - chance.randrange(1, of_each), 20)
            consumer.end(signal.SIGKILL)
            writer.join()
        self.consume()
        self.expect_each_once_in_order(total)
