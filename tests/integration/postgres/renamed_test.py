"""The names of transactions begin anew when the server does. One that is prepared after a restart can have the very
name of one that was prepared before, and is another one nevertheless: its message is not passed by.
"""

import os
import signal
import sys
import tempfile
import time
import unittest

from inbox import Inbox
from place import SKIPPED, PostgresCase, Server, require_programs

try:
    import psycopg2
except ModuleNotFoundError:
    print("SKIPPED: python3-psycopg2 is not installed, or is another Python's", flush=True)
    sys.exit(SKIPPED)

SPARE_NAMES = 100  # Whoever comes after the restart has fewer transactions behind it.
NOTICED_SECONDS = 2  # A number that is missing for 200 ms; the lane looks once a second at least.


class Renamed(PostgresCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-renamed-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.server = Server(os.path.join(folder.name, "server"))
        self.addCleanup(self.server.remove)
        self.server.start(autovacuum="off")  # Its workers take names, too.
        super().setUp()
        self.inbox = Inbox(self.folder)
        self.addCleanup(self.inbox.close)
        self.node = self.start()
        self.route_to(self.node, self.inbox)

    def make_database(self, server):
        return self.server.url()

    def test_after_a_restart_a_prepared_transaction_is_a_witness(self):
        name = self.prepare_first()
        self.deliver("before")
        time.sleep(NOTICED_SECONDS)  # Nothing outside tells that it was.
        self.node.send(signal.SIGSTOP)
        self.server.stop("immediate")
        self.server.start()
        self.session().cursor().execute("ROLLBACK PREPARED 'first'")
        self.prepare_second(name)
        self.commit("after")
        self.node.send(signal.SIGCONT)
        self.await_(lambda: self.inbox.has({"after"}), "what was committed beside it arrives")
        time.sleep(NOTICED_SECONDS)
        self.session().cursor().execute("COMMIT PREPARED 'second'")
        self.await_(lambda: self.inbox.has({"second"}), "what was prepared and committed arrives", 15)

    def session(self):
        session = psycopg2.connect(self.url)
        session.autocommit = True
        self.addCleanup(session.close)
        return session

    def prepare_first(self):
        """Answers the name that it has."""
        cursor = self.session().cursor()
        for _ in range(SPARE_NAMES):
            cursor.execute("SELECT 1")
        return self.prepare(cursor, "first")

    def prepare_second(self, name):
        place, number = map(int, name.split("/"))
        cursor = self.session().cursor()
        while (found := self.name_of(cursor))[0] != place:
            self.assertLess(found[0], place, "the place is taken")
            cursor = self.session().cursor()  # The next place; those before stay occupied.
        while self.name_of(cursor)[1] < number - 1:
            pass  # Each question is a transaction with a name of its own.
        self.assertEqual(self.prepare(cursor, "second"), name)

    def name_of(self, cursor):
        cursor.execute("SELECT virtualtransaction FROM pg_locks WHERE pid = pg_backend_pid() LIMIT 1")
        return tuple(map(int, cursor.fetchone()[0].split("/")))

    def prepare(self, cursor, event):
        cursor.execute("BEGIN")
        self.insert(cursor, event)
        place, number = self.name_of(cursor)
        cursor.execute(f"PREPARE TRANSACTION '{event}'")
        return f"{place}/{number}"

    def insert(self, cursor, event):
        cursor.execute("INSERT INTO makegood_outbox (topic, event_id, payload) VALUES ('order.placed', %s, '{}')",
                       (event,))

    def commit(self, event):
        self.insert(self.session().cursor(), event)

    def deliver(self, event):
        self.commit(event)
        self.await_(lambda: self.inbox.has({event}), f"{event} arrives")


if __name__ == "__main__":
    require_programs()
    unittest.main()
