"""What docs/idempotency.md and docs/proxy.md show, run as it is written: plain SQL and REST on both stores, the proxy;
and the example in C++."""

import http.server
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(HERE, "..", "..", "..", "docs")
sys.path.insert(0, os.path.join(HERE, "..", "server"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

from daemon import PROGRAM, Daemon, clean_environment  # noqa: E402
from postgres_database import database_of, needs_postgres  # noqa: E402

PAYMENT = os.environ.get("MAKEGOOD_IDEMPOTENT_PAYMENT", "idempotent_payment")


def block_below(page, heading, nth=0):
    """The `nth` block of code below a heading of a page."""
    with open(os.path.join(DOCS, page), encoding="utf-8") as file:
        chapter = ("\n" + file.read()).split(f"\n{heading}\n", 1)[1]
    return re.findall(r"```\w*\n(.*?)```", chapter, re.S)[nth]


class FormCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-forms-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "bin"))
        os.symlink(PROGRAM, os.path.join(self.folder, "bin", "makegood"))

    def shell(self, script, **variables):
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-euc", script], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env=clean_environment(**variables) | {"PATH": path}, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class PlainSql(FormCase):
    """The second time is who asks again with a token of its own."""

    def scripts(self):
        text = block_below("idempotency.md", "## Plain SQL")
        claim, work = text.split("\n\n", 1)
        return claim, work, claim.replace("my-token-1", "my-token-2")

    def test_on_sqlite(self):
        self.shell("makegood migrate --idempotency --store sqlite:shop.db")
        database = sqlite3.connect(os.path.join(self.folder, "shop.db"), isolation_level=None)
        self.addCleanup(database.close)
        database.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER)")
        database.execute("INSERT INTO account VALUES (1, 100)")

        def run(script):
            """As the page says, with BEGIN IMMEDIATE."""
            rows = []
            for statement in re.split(r";\s*\n", re.sub(r"--.*", "", script).replace("BEGIN;", "BEGIN IMMEDIATE;")):
                rows += database.execute(statement).fetchall()
            return rows

        claim, work, again = self.scripts()
        self.assertEqual(run(claim)[0][0], "fresh")
        run(work)
        self.assertEqual(run(again)[0][0:4:3], ("hit", "payment 17"))
        self.assertEqual(database.execute("SELECT balance FROM account").fetchone(), (90,))

    @needs_postgres
    def test_on_postgres(self):
        url = database_of(self)

        def run(script):
            done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", url], input=script, capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.strip()

        self.shell(f"makegood migrate --idempotency --store '{url}'")
        run("CREATE TABLE account (id integer PRIMARY KEY, balance integer); INSERT INTO account VALUES (1, 100)")
        claim, work, again = self.scripts()
        self.assertTrue(run(claim).startswith("fresh|"))
        run(work)
        self.assertTrue(run(again).startswith("hit|"))
        self.assertIn("payment 17", run(again))
        self.assertEqual(run("SELECT balance FROM account"), "90")


class Rest(FormCase):
    def start(self, store):
        door = os.path.join(self.folder, "door")
        daemon = Daemon(self.folder, store=store, MAKEGOOD_SERVER_OPEN_ON_LOOPBACK="false")
        self.addCleanup(daemon.clear_away)
        self.assertIsNotNone(daemon.address, daemon.log())
        return daemon, {"MAKEGOOD_SERVER": f"http://{daemon.address}", "MAKEGOOD_SERVER_DOOR_FOLDER": door}

    def expect_shown(self, store):
        daemon, variables = self.start(store)
        enqueue = block_below("idempotency.md", "### On our own POSTs")
        script = block_below("idempotency.md", "## Over REST") + enqueue + enqueue
        said = self.shell(script.replace("127.0.0.1:7700", daemon.address), **variables)
        self.assertEqual(re.findall(r'"was_there": ?(\w+)', said), ["false", "true"])
        for words in ('"outcome":"fresh"', '"is_done":true', '"outcome":"hit"', '"digest":"payment 17"'):
            self.assertIn(words, said)

    def test_on_sqlite(self):
        self.expect_shown("sqlite:shop.db")

    @needs_postgres
    def test_on_postgres(self):
        self.expect_shown(database_of(self))


class Cpp(FormCase):
    def pay(self, *arguments):
        done = subprocess.run([PAYMENT, "payment.db", *arguments], cwd=self.folder, env=clean_environment(), timeout=60,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_as_its_page_says(self):
        self.assertEqual(self.pay("request-7"), ["the card is charged", "charge: charge 17", "withdraw: 10 withdrawn",
                                                 "event: applied", "balance: 91"])
        self.assertEqual(self.pay("request-7"), ["charge: charge 17, as it was answered before",
                                                 "withdraw: 10 withdrawn, as before", "event: seen before",
                                                 "balance: 91"])
        self.assertEqual(self.pay("request-7", "other")[:2], ["charge: refused, TX.IDEMPOTENT_MISMATCH",
                                                              "withdraw: refused"])


class Proxy(FormCase):
    def service(self):
        effects = self.effects = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                effects.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"127.0.0.1:{server.server_port}"

    def test_as_the_page_begins(self):
        prepare, ask = block_below("proxy.md", "# The proxy").split("\n\n", 1)
        secret, command = prepare.split("\n", 1)
        self.shell(secret)
        command = command.replace("\\\n", " ").replace("127.0.0.1:7780", "127.0.0.1:0")
        proxy = subprocess.Popen(["bash", "-c", "exec " + command.replace("127.0.0.1:8080", self.service())],
                                 cwd=self.folder, env=clean_environment() |
                                 {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, encoding="utf-8")
        self.addCleanup(proxy.stdout.close)
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.terminate)
        address = re.search(r" on http://([\d.:]+)", proxy.stdout.readline())[1]
        said = self.shell(ask.replace("localhost:7780", address))
        self.assertIn("201 Created", said)
        self.assertRegex(said, "(?i)idempotency-replayed: true")
        self.assertEqual(self.effects, [b'{"item": 7}'])


if __name__ == "__main__":
    if shutil.which("curl") is None:
        sys.exit(77)
    unittest.main()
