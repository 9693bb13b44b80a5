"""The server goes away in the middle of load, gently and less so, and comes back: nothing that was committed is lost.

Producers keep books of their own: what the server has acknowledged, what was rolled back, and what nobody knows,
because the connection was lost while the commit was under way.
"""

import subprocess
import threading
import time
import unittest

from place import PostgresCase, clean_environment, psql, require_programs

PRODUCERS = 4
ROLLED_BACK_EVERY = 5


class Books:
    def __init__(self):
        self.lock = threading.Lock()
        self.committed, self.rolled_back, self.in_doubt = set(), set(), set()

    def enter(self, page, event):
        with self.lock:
            page.add(event)

    def committed_count(self):
        with self.lock:
            return len(self.committed)


class Producer(threading.Thread):
    """A psql that commits an order and its message together, and starts anew when it is thrown out."""

    def __init__(self, name, url, books):
        super().__init__(daemon=True)
        self.prefix, self.url, self.books = name, url, books
        self.count = 0
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.is_set():
            with subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", self.url], env=clean_environment(),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True) as session:
                self.produce(session)

    def produce(self, session):
        while not self.is_over.is_set():
            self.count += 1
            event = f"{self.prefix}-{self.count}"
            is_kept = self.count % ROLLED_BACK_EVERY != 0
            said = self.say(session, event, "COMMIT" if is_kept else "ROLLBACK")
            if not is_kept:
                self.books.enter(self.books.rolled_back, event)
            elif said == event:
                self.books.enter(self.books.committed, event)
            else:
                self.books.enter(self.books.in_doubt, event)
            if said != event:
                time.sleep(0.05)  # The server is away: do not spin.
                return

    def say(self, session, event, end):
        """What psql says when it is through; nothing if it was thrown out."""
        try:
            session.stdin.write(f"""
                BEGIN;
                INSERT INTO orders VALUES ('{event}');
                INSERT INTO makegood_outbox (topic, event_id, payload) VALUES ('order.placed', '{event}', '{{}}');
                {end};
                \\echo {event}
                """)
            session.stdin.flush()
            return session.stdout.readline().strip()
        except BrokenPipeError:
            return ""

    def finish(self):
        self.is_over.set()
        self.join(30)


class Restart(PostgresCase):
    def setUp(self):
        self.server, = self.make_servers("server")
        self.server.start()
        super().setUp()
        psql(self.url, "CREATE TABLE orders (event_id text PRIMARY KEY)")
        self.books = Books()
        self.inbox = self.receiver()
        self.node = self.start()
        self.route_to(self.node, self.inbox)

    def make_database(self, server):
        return self.server.url()

    def under_load(self, disturb):
        producers = [Producer(f"p{i}", self.url, self.books) for i in range(PRODUCERS)]
        for producer in producers:
            producer.start()
            self.addCleanup(producer.finish)
        for _ in range(2):
            self.await_more_commits(50)
            disturb()
        self.await_more_commits(50)
        for producer in producers:
            producer.finish()

    def await_more_commits(self, count):
        wanted = self.books.committed_count() + count
        self.await_(lambda: self.books.committed_count() >= wanted, f"{count} more are committed", 60)

    def close_the_books(self):
        self.await_arrival(self.inbox, self.books.committed, 60)
        orders = {event for event, in psql(self.url, "SELECT event_id FROM orders")}
        self.await_arrival(self.inbox, orders, 60)
        arrived = set(self.arrived(self.inbox))
        self.assertTrue(self.books.committed <= orders)
        self.assertEqual(arrived - orders, set(), "arrived, and were never committed")
        self.assertEqual(arrived & self.books.rolled_back, set())
        self.assertIsNone(self.node.process.poll(), self.node.log())
        repeated = len(self.arrived(self.inbox)) - len(arrived)
        print(f"{len(self.books.committed)} committed, {len(self.books.rolled_back)} rolled back, "
              f"{len(self.books.in_doubt)} in doubt, {repeated} repeated", flush=True)
        self.await_(lambda: self.node.ask("GET", "/readyz").status == 200, "it is ready again")

    def test_of_the_server_by_its_operator_loses_nothing(self):
        def restart():
            self.server.stop("fast")
            self.server.start()

        self.under_load(restart)
        self.close_the_books()

    def test_of_the_server_after_a_crash_loses_nothing(self):
        def crash():
            self.server.crash()
            self.server.start()

        self.under_load(crash)
        self.close_the_books()

    def test_that_takes_a_while_is_told_and_survived(self):
        self.under_load(self.stay_away)
        self.close_the_books()

    def test_is_not_needed_after_a_time_of_read_only(self):
        self.under_load(self.be_read_only)
        self.close_the_books()

    def be_read_only(self):
        """As operators do it before they move to another server: what is written from here on would be lost."""
        self.configure("ALTER SYSTEM SET default_transaction_read_only = on")
        self.await_(lambda: "STORAGE.UNAVAILABLE" in self.node.ask("GET", "/readyz").body.decode(), "readiness tells")
        self.assertIn("25006", self.node.log())
        turn, = psql(self.url, "SELECT max(turn) FROM makegood_outbox_turn")[0]
        time.sleep(1)  # Nothing is to happen, so there is nothing to await.
        self.assertEqual(psql(self.url, "SELECT max(turn) FROM makegood_outbox_turn"), [(turn,)])
        self.configure("ALTER SYSTEM RESET default_transaction_read_only")

    def configure(self, statement):
        psql(self.url, statement, "SELECT pg_reload_conf()")

    def stay_away(self):
        self.server.stop("immediate")
        self.await_(lambda: self.node.ask("GET", "/readyz").status == 503, "readiness tells")
        self.assertEqual(self.node.ask("GET", "/healthz").status, 200)
        self.server.start()


if __name__ == "__main__":
    require_programs()
    unittest.main()
