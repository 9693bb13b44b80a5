"""A producer of examples/ on PostgreSQL. postgres_producers_test.py psql|psycopg|sqlalchemy|node_postgres|pgx|pgjdbc"""

import os
import subprocess
import sys
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "postgres"))

from invoices import SAID, messages_of  # noqa: E402
from place import PostgresCase, psql, require_server  # noqa: E402
from postgres_producers import COMMANDS  # noqa: E402
from producers import CannotRun  # noqa: E402

DRIVER = sys.argv.pop(1)
COMMAND = []
LOG = "SELECT topic, tenant_id, dispatch_key, payload FROM makegood_outbox ORDER BY sequence"
FULL = """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON makegood_outbox FOR EACH ROW WHEN (new.topic LIKE '%payment%')
      EXECUTE FUNCTION refuse()"""


def as_the_driver_says(url):
    """JDBC has a form of its own."""
    if DRIVER != "pgjdbc":
        return url
    at = urllib.parse.urlsplit(url)
    return f"jdbc:postgresql://{at.hostname}:{at.port}{at.path}?user={at.username}&password={at.password}"


class ProducerTest(PostgresCase):
    maxDiff = None

    def run_producer(self):
        return subprocess.run([*COMMAND, as_the_driver_says(self.url)], timeout=60, text=True, capture_output=True,
                              check=False)

    def produce(self):
        done = self.run_producer()
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def query(self, sql):
        return psql(self.url, sql)

    def test_commits_each_change_with_its_message_and_nothing_of_what_was_rolled_back(self):
        self.assertEqual(self.produce(), SAID.format(1))
        self.assertEqual(self.query(LOG), messages_of("inv-1", 1))
        self.assertEqual(self.query("SELECT tenant, total, paid FROM invoice"), [("acme", "1990", "1490")])
        self.produce()
        self.assertEqual(self.query(LOG), messages_of("inv-1", 1) + messages_of("inv-2", 2))

    def test_commits_nothing_when_the_message_cannot_be_written(self):
        psql(self.url, FULL)
        self.assertNotEqual(self.run_producer().returncode, 0)
        self.assertEqual(self.query("SELECT total, paid FROM invoice"), [("1990", "0")])
        self.assertEqual(self.query(LOG), messages_of("inv-1", 1)[:1])

    def test_is_delivered_byte_for_byte_and_in_order_by_the_daemon_beside_it(self):
        receiver, node = self.receiver(), self.start()
        base = "/api/outboxes/makegood_outbox"
        self.settle(node, node.ask("PUT", f"{base}/destinations/http:books", {"http": {"url": receiver.url}}))
        self.settle(node, node.ask("PUT", f"{base}/routes", {
            "routes": [{"pattern": "billing.*", "destination": "http:books"}], "reason": "a try"}))
        self.produce()
        self.await_(lambda: len(receiver.bodies) == 3, "three arrive")
        self.assertEqual([body.decode() for _, body in receiver.bodies], [one[3] for one in messages_of("inv-1", 1)])


if __name__ == "__main__":
    require_server()
    try:
        COMMAND = COMMANDS[DRIVER]()
    except CannotRun as reason:
        print(f"SKIPPED: the producer with {DRIVER} is not run: {reason}")
        sys.exit(77)
    unittest.main(verbosity=2)
