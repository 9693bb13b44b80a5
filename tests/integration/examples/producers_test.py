"""A producer of examples/, run as its README says. producers_test.py cpp|python|node|go|java"""

import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from daemon import Daemon, Endpoint
from invoices import SAID, messages_of
from producers import COMMANDS, CannotRun

LANGUAGE = sys.argv.pop(1)
PROGRAM = os.path.abspath(os.environ.get("MAKEGOOD_PROGRAM", "makegood"))
COMMAND = []


class ProducerTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-producer-")
        self.addCleanup(folder.cleanup)
        self.database = os.path.join(folder.name, "shop.db")
        subprocess.run([PROGRAM, "migrate", "--store", f"sqlite:{self.database}"], check=True, timeout=30,
                       capture_output=True)

    def produce(self):
        done = subprocess.run([*COMMAND, self.database], timeout=60, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def query(self, sql):
        with contextlib.closing(sqlite3.connect(self.database)) as database:
            return database.execute(sql).fetchall()

    def log(self):
        return self.query("SELECT topic, tenant_id, dispatch_key, payload FROM makegood_outbox ORDER BY sequence")

    def test_commits_each_change_with_its_message_and_nothing_of_what_was_rolled_back(self):
        self.assertEqual(self.produce(), SAID.format(1))
        self.assertEqual(self.log(), messages_of("inv-1", 1))
        self.assertEqual(self.query("SELECT tenant, total, paid FROM invoice"), [("acme", 1990, 1490)])
        self.produce()
        self.assertEqual(self.log(), messages_of("inv-1", 1) + messages_of("inv-2", 2))

    def test_commits_nothing_when_the_message_cannot_be_written(self):
        with contextlib.closing(sqlite3.connect(self.database)) as database, database:
            database.execute("CREATE TRIGGER full BEFORE INSERT ON makegood_outbox"
                             " WHEN new.topic LIKE '%payment%' BEGIN SELECT raise(ABORT, 'no room'); END")
        done = subprocess.run([*COMMAND, self.database], timeout=60, text=True, capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.query("SELECT total, paid FROM invoice"), [(1990, 0)])
        self.assertEqual(self.log(), messages_of("inv-1", 1)[:1])

    def test_is_delivered_byte_for_byte_and_in_order_by_the_daemon_beside_it(self):
        endpoint, daemon = Endpoint(), Daemon(PROGRAM, f"sqlite:{self.database}")
        self.addCleanup(endpoint.close)
        self.addCleanup(daemon.close)
        daemon.apply({"destinations": [{"name": "http:books", "http": {"url": endpoint.url()}}],
                      "routes": [{"pattern": "billing.*", "destination": "http:books"}], "reason": "a try"})
        self.produce()
        self.assertEqual(endpoint.next(3), messages_of("inv-1", 1))


if __name__ == "__main__":
    try:
        COMMAND = COMMANDS[LANGUAGE]()
    except CannotRun as reason:
        print(f"SKIPPED: the producer in {LANGUAGE} is not run: {reason}")
        sys.exit(77)
    unittest.main(verbosity=2)
