"""Three nodes of Makegood on a Patroni cluster of three servers, and the primary is killed in the middle of load.

Replication is synchronous: what was acknowledged is on two servers. So nothing of it may be missing afterwards, and no
key may be out of order.
"""

import os
import sys
import tempfile
import time
import unittest

from inbox import Inbox
from patroni import Cluster, require_cluster_programs
from place import SKIPPED, TAKEN_WITHIN, CannotRun, PostgresCase, psql

try:
    from shop import Clerk, Shop, out_of_order
except ModuleNotFoundError:
    print("SKIPPED: python3-psycopg2 is not installed, or is another Python's", flush=True)
    sys.exit(SKIPPED)

PAUSE_SECONDS = 0.02
GOES_ON_WITHIN = 30


class Seller(Clerk):
    def __init__(self, shop, key_step):
        super().__init__(shop)
        self.key_step = key_step
        self.count = 0

    def work(self):
        self.count += 1
        key = self.shop.keys[self.count * self.key_step % len(self.shop.keys)]
        with self.session.cursor() as cursor:
            event = self.enqueue(cursor, key)
        self.commit(event)
        self.is_over.wait(PAUSE_SECONDS)


class Failover(PostgresCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-cluster-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.cluster = Cluster(os.path.join(folder.name, "cluster"))
        self.addCleanup(self.cluster.close)
        self.cluster.start()
        super().setUp()
        self.inbox = Inbox(self.folder)
        self.addCleanup(self.inbox.close)
        self.shop = Shop(self.url, [f"k{number}" for number in range(20)])
        self.clerks = [Seller(self.shop, step) for step in (1, 3, 7)]

    def make_database(self, server):
        return self.cluster.url()

    def fail(self, msg=None):
        super().fail(f"{msg}\n{self.cluster.last_words()}")

    def test_loses_nothing_and_delivery_goes_on(self):
        nodes = [self.start() for _ in range(3)]
        self.await_(lambda: any(node.owns() for node in nodes), "one of them owns the lane")
        self.route_to(nodes[0], self.inbox)
        for clerk in self.clerks:
            clerk.start()
            self.addCleanup(clerk.is_over.set)
        self.await_deliveries(200)

        killed = self.cluster.leader()
        began, before = time.time(), self.shop.committed_count()
        self.cluster.kill(killed)
        self.await_(lambda: self.shop.committed_count() > before + 10, "the shop goes on", GOES_ON_WITHIN)
        shop_seconds = time.time() - began
        newest = self.shop.newest()
        self.await_(lambda: self.inbox.has({newest}), "deliveries go on", GOES_ON_WITHIN - shop_seconds)
        seconds = time.time() - began
        print(f"commits went on {shop_seconds:.1f} s after the primary was killed, deliveries after {seconds:.1f} s",
              flush=True)
        self.assertLess(seconds, GOES_ON_WITHIN)
        self.assertNotIn(self.cluster.leader(), (killed, None))

        self.await_deliveries(200)
        for clerk in self.clerks:
            clerk.finish()
        self.close_the_books(nodes)

    def await_deliveries(self, count):
        wanted = len(self.inbox.look()) + count
        self.await_(lambda: len(self.inbox.look()) >= wanted, f"{count} more arrive", 60)

    def close_the_books(self, nodes):
        facts = self.shop.facts()
        self.assertEqual(self.shop.committed - facts, set(), "acknowledged, and the new primary does not have them")
        logged = {event for event, in psql(self.url, "SELECT event_id FROM makegood_outbox")}
        self.assertEqual(facts, logged)
        self.await_(lambda: self.inbox.has(facts), "every one of them arrives")
        arrivals = self.inbox.first_arrivals()
        self.assertEqual(set(arrivals) - facts, set(), "arrived, and were never committed")
        self.assertEqual(out_of_order(arrivals), [])
        self.assertEqual([node.process.poll() for node in nodes], [None] * len(nodes))
        self.await_(lambda: sum(node.owns() for node in nodes) == 1, "one says that it owns the lane", TAKEN_WITHIN)
        timeline, = psql(self.url, "SELECT timeline_id FROM pg_control_checkpoint()")[0]
        repeated = len(self.inbox.look()) - len(arrivals)
        print(f"{len(self.shop.committed)} acknowledged, {len(facts)} committed, {repeated} repeated, "
              f"timeline {timeline}", flush=True)


if __name__ == "__main__":
    try:
        require_cluster_programs()
    except CannotRun as reason:
        print(f"SKIPPED: {reason}", flush=True)
        sys.exit(SKIPPED)
    unittest.main()
