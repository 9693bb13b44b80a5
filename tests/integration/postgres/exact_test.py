"""Reading is exact: whatever writers do, every row that was committed is delivered, none that was rolled back, and the
messages of a key arrive in the order in which they were committed. Meanwhile the server is restarted, gently and not,
and then it is gone, and its synchronous standby takes its place.

MAKEGOOD_SEED repeats a run's choices, MAKEGOOD_SECONDS makes it longer.
"""

import os
import random
import sys
import time
import unittest

from inbox import Inbox
from place import SKIPPED, PostgresCase, psql, require_programs, url_of

try:
    import psycopg2
except ModuleNotFoundError:
    print("SKIPPED: python3-psycopg2 is not installed, or is another Python's", flush=True)
    sys.exit(SKIPPED)

from habits import SLEEPING_TRIGGER, Coordinator, staff
from shop import Shop, out_of_order

SEED = int(os.environ.get("MAKEGOOD_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
SECONDS = int(os.environ.get("MAKEGOOD_SECONDS", "24"))
KEYS = 100
HOME_WITHIN = 60
ENOUGH_TO_PREPARE = {"max_prepared_transactions": 50}


class Exact(PostgresCase):
    def setUp(self):
        self.server, self.standby = self.make_servers("server", "standby")
        self.server.start(**ENOUGH_TO_PREPARE)
        self.standby.follow(self.server, wal_retrieve_retry_interval="100ms", **ENOUGH_TO_PREPARE)
        psql(self.server.url(), "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        super().setUp()
        psql(self.url, SLEEPING_TRIGGER)
        self.shop = Shop(self.url, [f"k{number}" for number in range(KEYS)])
        self.inbox = Inbox(self.folder)
        self.addCleanup(self.inbox.close)
        self.node = self.start("--set", "tx.outbox.lease_ms=10s")  # With many open numbers an exchange takes its time.
        self.route_to(self.node, self.inbox)

    def make_database(self, server):
        return url_of(self.server, self.standby)

    def test_reading_under_every_kind_of_writer_restarts_and_a_failover(self):
        print(f"MAKEGOOD_SEED={SEED}", flush=True)
        writers = staff(self.shop, SEED)
        coordinator = Coordinator(self.shop, writers)
        for clerk in (*writers, coordinator):
            clerk.start()
            self.addCleanup(clerk.is_over.set)
        disturbances = (self.restart, self.crash, self.fail_over, lambda: None)
        for disturb in disturbances:
            time.sleep(SECONDS / len(disturbances))  # It is the load that counts, for as long as we can afford.
            disturb()
        self.send_home(writers, coordinator)
        self.close_the_books(writers)

    def send_home(self, writers, coordinator):
        """When the answer to a PREPARE was lost, nobody knows of it, and who wants its key waits until it is undone."""
        for clerk in (*writers, coordinator):
            clerk.is_over.set()
        coordinator.finish()
        until = time.monotonic() + HOME_WITHIN
        while (late := [writer for writer in writers if writer.is_alive()]) and time.monotonic() < until:
            self.end_prepared(coordinator)
            late[0].join(0.5)
        for writer in writers:
            writer.finish()
        self.end_prepared(coordinator)

    def restart(self):
        self.server.stop("fast")
        self.server.start()

    def crash(self):
        self.server.stop("immediate")
        self.server.start()

    def fail_over(self):
        self.server.crash()
        self.standby.promote()

    def end_prepared(self, coordinator):
        coordinator.session = psycopg2.connect(self.url)
        coordinator.session.autocommit = True
        coordinator.end_all()
        coordinator.leave()

    def close_the_books(self, writers):
        facts = self.shop.facts()
        logged = {event for event, in psql(self.url, "SELECT event_id FROM makegood_outbox")}
        self.assertEqual(facts, logged)
        self.assertEqual(self.shop.committed - facts, set(), "acknowledged and gone")
        self.assertEqual(self.shop.undone & facts, set(), "undone, and there nevertheless")
        began = time.monotonic()
        self.await_(lambda: self.inbox.has(facts), "every row that was committed arrives", 60)
        arrivals = self.inbox.first_arrivals()
        self.assertEqual(set(arrivals) - facts, set(), "arrived, and were never committed")
        self.assertEqual(out_of_order(arrivals), [])
        self.assertIsNone(self.node.process.poll(), self.node.log())
        self.await_(self.is_nothing_open, "no number stays open")
        drawn = int(psql(self.url, "SELECT last_value FROM makegood_outbox_number")[0][0])
        self.tell(writers, facts, drawn, time.monotonic() - began)

    def is_nothing_open(self):
        answer = self.node.ask("GET", "/api/outboxes/makegood_outbox")  # The first one after a restart may be refused.
        return answer.status == 200 and answer.json()["lane"]["open_count"] == 0

    def tell(self, writers, facts, drawn, seconds):
        counts = {}
        for writer in writers:
            for kind, count in writer.counts.items():
                counts[kind] = counts.get(kind, 0) + count
        repeated = len(self.inbox.look()) - len(facts)
        print(f"{drawn} numbers drawn, {len(facts)} committed and delivered (the last {seconds:.1f} s after the load), "
              f"{repeated} repeated\n{counts}", flush=True)
        self.assertTrue(all(counts.values()), "each kind took place")


if __name__ == "__main__":
    require_programs()
    unittest.main()
