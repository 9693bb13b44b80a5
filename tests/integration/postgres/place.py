"""A database of a test's own, and nodes of Makegood on it.

The server is the one that MAKEGOOD_POSTGRES names, or OUTBOX_TEST_DSN; without it these tests are skipped, and say so.
"""

import csv
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "server"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

from daemon import GENEROUS_SECONDS, PROGRAM, Daemon, DaemonCase, clean_environment  # noqa: E402
from postgres_database import MISSING, PSQL, SERVER, on_database  # noqa: E402
from postgres_server import CannotRun, Server, as_whom, program  # noqa: E402

SKIPPED = 77
LEASE_SECONDS = 3
TAKEN_WITHIN = LEASE_SECONDS + 6  # On a busy machine, too; before a lease of the usual length would be over.
SHORT_LEASE = ("--set", f"tx.outbox.lease_ms={LEASE_SECONDS}s")


def require_server():
    """Ends the process as skipped when there is none."""
    if not SERVER:
        print(f"SKIPPED: {MISSING}", flush=True)
        sys.exit(SKIPPED)


def require_programs():
    """For tests that start servers of their own. Ends the process as skipped when there is none to start."""
    try:
        program("initdb")
        as_whom()
    except CannotRun as reason:
        print(f"SKIPPED: {reason}", flush=True)
        sys.exit(SKIPPED)


def psql(url, *statements):
    """As another program would. Answers the rows of all statements, as texts."""
    command = [PSQL, "-X", "-q", "-t", "--csv", "-v", "ON_ERROR_STOP=1", *(f"-c{sql}" for sql in statements), url]
    done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f"psql: {done.stderr}")
    return [tuple(row) for row in csv.reader(done.stdout.splitlines())]


def url_of(*servers):
    """All hosts; whoever can be written to is meant."""
    hosts = ",".join(f"127.0.0.1:{server.port()}" for server in servers)
    return f"postgres://postgres:{servers[0].recall('password')}@{hosts}/postgres?target_session_attrs=read-write"


class Node(Daemon):
    def metric(self, name, outbox="makegood_outbox"):
        text = self.ask("GET", "/metrics").body.decode()
        found = re.search(rf'^{name}{{table="{outbox}"}} (\S+)$', text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    def owns(self, outbox="makegood_outbox"):
        return self.metric("outbox_relay_leader", outbox) == 1

    def fenced_count(self):
        return self.metric("tx_outbox_fenced_total")


class PostgresCase(DaemonCase):
    """`self.url` is an empty database with the tables of an outbox."""

    def setUp(self):
        super().setUp()
        self.started = []
        self.url = self.make_database(SERVER)
        self.migrate()

    def make_servers(self, *names):
        """Of this test's own; not started yet."""
        folder = tempfile.TemporaryDirectory(prefix="makegood-pg-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        servers = [Server(os.path.join(folder.name, name)) for name in names]
        for server in servers:
            self.addCleanup(server.remove)
        return servers

    def make_database(self, server):
        name = "test_" + secrets.token_hex(6)
        psql(server, f"CREATE DATABASE {name}")
        self.addCleanup(psql, server, f"DROP DATABASE {name} WITH (FORCE)")
        return on_database(server, name)

    def makegood(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=clean_environment(), capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def run_advice(self, trouble, exits=(0,)):
        """The advice names no password; libpq finds it in the environment."""
        more = () if " --store " in trouble["advice"] else ("--store", self.url)
        return super().run_advice(trouble, exits, more, PGPASSWORD=urllib.parse.urlsplit(self.url).password)

    def migrate(self, *outboxes):
        self.makegood("migrate", "--store", self.url, *(f"--outbox={outbox}" for outbox in outboxes))

    def start(self, *flags, store=None, **variables):
        node = Node(tempfile.mkdtemp(dir=self.folder), *SHORT_LEASE, *flags, store=store or self.url, **variables)
        self.addCleanup(node.clear_away)
        self.addCleanup(self.wake, node)
        self.assertIsNotNone(node.address, node.log())
        self.started.append(node)
        return node

    def fail(self, msg=None):
        """With the last words of the nodes: they know more."""
        logs = "".join(f"\n--- a node says\n{node.log()[-3000:]}" for node in self.started)
        super().fail(f"{msg}{logs}")

    def wake(self, node):
        if node.process.poll() is None:
            node.send(signal.SIGCONT)

    def receiver(self):
        receiver = super().receiver()
        receiver.server.socket.listen(1024)  # Hundreds come at once; the usual 5 would put them off for seconds.
        return receiver

    def enqueue(self, count, first=1):
        """A plain INSERT; the events are their numbers."""
        psql(self.url, f"""
            INSERT INTO makegood_outbox (topic, event_id, payload)
            SELECT 'order.placed', 'e-' || i, '{{"n": 1}}' FROM generate_series({first}, {first + count - 1}) i""")

    def arrived(self, receiver):
        return [event for event, _ in list(receiver.bodies)]

    def await_arrival(self, receiver, events, seconds=30):
        self.await_(lambda: events <= set(self.arrived(receiver)), "all of them arrive", seconds)


def insert(event):
    """The statement that enqueues it."""
    return f"INSERT INTO makegood_outbox (topic, event_id, payload) VALUES ('order.placed', '{event}', '{{}}')"


def events(count, first=1):
    return {f"e-{i}" for i in range(first, first + count)}
