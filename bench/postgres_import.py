#!/usr/bin/env python3
"""bench/postgres_import.py [--rows N] [--rate N] [--program PATH]: an import in one transaction beside other traffic.

A tenant inserts 1,000,000 messages in one transaction while another one has 1,000 a second. Both go to the same
receiver. Prints what the other one's messages took, from the INSERT to the receiver, before, during and after; what has
not arrived at the end counts as if it did then. The goal is a p99 below 1 s. A server of its own, durable, on loopback;
needs PostgreSQL's programs and the release build.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--rows", type=int, default=1_000_000)
parser.add_argument("--rate", type=int, default=1000)
parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "makegood"))
parser.add_argument("--seconds-max", type=int, default=240, help="gives up waiting for the import's deliveries")
parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="configuration of makegood serve")
asked = parser.parse_args()
os.environ["MAKEGOOD_PROGRAM"] = asked.program
sys.path.insert(0, str(ROOT / "tests" / "integration" / "postgres"))

from inbox import Arrival, Inbox  # noqa: E402
from place import DaemonCase, Node, Server, psql  # noqa: E402
from traffic import Traffic, delays, told  # noqa: E402

BEFORE_SECONDS, AFTER_SECONDS = 8, 5
GOAL_MS = 1000
IMPORTED_WITHIN = 600
IMPORT = """
    INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, event_id, payload)
    SELECT 'order.imported', 'importer', 'i' || i, 'import-' || i, '{{}}' FROM generate_series(1, {rows}) AS i"""


class Import(threading.Thread):
    def __init__(self, url, rows):
        super().__init__(daemon=True)
        self.url, self.rows = url, rows
        self.began = self.ended = 0.0

    def run(self):
        self.began = time.time()
        subprocess.run(["psql", "-Xq", self.url, "-c", IMPORT.format(rows=self.rows)], check=True,
                       timeout=IMPORTED_WITHIN)
        self.ended = time.time()


class Bench(DaemonCase):
    """A test's means to start, route and wait, without the test."""

    def run_in(self, folder):
        server = Server(os.path.join(folder, "server"))
        self.addCleanup(server.remove)
        server.start(fsync="on", shared_buffers="256MB", max_wal_size="4GB")
        self.url, self.folder = server.url(), folder
        self.inbox = Inbox(folder)
        self.imported, self.counted = set(), 0
        self.addCleanup(self.inbox.close)
        settings = [part for each in asked.set for part in ("--set", each)]
        self.node = Node(folder, *settings, store=self.url)
        self.addCleanup(self.node.clear_away)
        self.assertIsNotNone(self.node.address, self.node.log())
        self.await_(lambda: self.node.ask("GET", "/readyz").status == 200, "it becomes ready")
        self.route_to(self.node, self.inbox)
        self.measure()

    def measure(self):
        traffic = Traffic(self.url, self.folder, asked.rate, BEFORE_SECONDS + asked.seconds_max + AFTER_SECONDS)
        self.addCleanup(traffic.stop)
        began = time.time()
        self.watch("before", lambda: time.time() - began > BEFORE_SECONDS)
        importing = Import(self.url, asked.rows)
        importing.start()
        self.watch("importing", lambda: importing.ended)
        self.watch("delivering", lambda: self.imported_count() >= asked.rows or
                   time.time() - importing.ended > asked.seconds_max)
        delivered = time.time()
        self.watch("after", lambda: time.time() - delivered > AFTER_SECONDS)
        traffic.stop()
        ended = time.time()
        self.watch("the last", lambda: self.ordinary_count() == self.ordinary_arrived() or time.time() - ended > 30)
        print(file=sys.stderr)
        self.report(began, importing, delivered, ended)

    def imported_count(self):
        arrivals = self.inbox.look()
        self.imported.update(each.event for each in arrivals[self.counted:] if each.event.startswith("import-"))
        self.counted = len(arrivals)
        return len(self.imported)

    def ordinary_arrived(self):
        return len(self.inbox.events) - self.imported_count()

    def ordinary_count(self):
        return int(psql(self.url, "SELECT count(*) FROM makegood_outbox WHERE tenant_id = 'shop'")[0][0])

    def missing(self):
        """Ordinary ones that have not arrived, as if they did now."""
        rows = psql(self.url, "SELECT event_id, payload FROM makegood_outbox WHERE tenant_id = 'shop'")
        now = time.time()
        return [Arrival(now, event, payload) for event, payload in rows if event not in self.inbox.events]

    def watch(self, phase, is_over):
        while not is_over():
            time.sleep(1)
            arrivals = self.inbox.look()
            recent = delays(arrivals[-20000:], time.time() - 3, time.time())
            print(f"\r{phase:<12} {len(arrivals):>9} arrived, {self.imported_count():>9} of the import; p50 of late "
                  f"{recent.p50:8.1f} ms ", end="", file=sys.stderr, flush=True)

    def report(self, began, importing, delivered, ended):
        missing = self.missing()
        lost = len(missing)
        arrivals = self.inbox.look() + missing
        print(f"import of {asked.rows:,} rows: committed after {importing.ended - importing.began:.1f} s, delivered "
              f"{delivered - importing.ended:.1f} s later; not arrived: {asked.rows - self.imported_count():,} of it, "
              f"{lost:,} ordinary ones")
        print(told("before", delays(arrivals, began + 2, importing.began)))
        during = delays(arrivals, importing.began, importing.ended)
        print(told("while it is open", during))
        after = delays(arrivals, importing.ended, delivered)
        print(told("while it is delivered", after))
        print(told("afterwards", delays(arrivals, delivered + 1, ended)))
        worst = max(during.p99, after.p99)
        print(f"p99 beside an import: {worst:.0f} ms; the goal of {GOAL_MS} ms is "
              f"{'met' if worst < GOAL_MS and lost == 0 else 'NOT MET'}")
        print(told_sizes(self.url))


def told_sizes(url):
    position, bytes_, turns = psql(url, """
        SELECT max(length(position::text)), pg_total_relation_size('makegood_outbox_turn'), count(*)
        FROM makegood_outbox_turn""")[0]
    return f"largest position {int(position):,} bytes; {int(turns):,} turns take {int(bytes_):,} bytes"


def main():
    bench = Bench()
    with tempfile.TemporaryDirectory(prefix="makegood-import-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        try:
            bench.run_in(folder)
        finally:
            bench.doCleanups()


if __name__ == "__main__":
    main()
