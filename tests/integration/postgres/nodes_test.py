"""Whole `makegood serve` processes on one database: each outbox has one owner, and another takes over."""

import signal
import threading
import time
import unittest

from place import TAKEN_WITHIN, PostgresCase, events, psql, require_server

LONG_LEASE = ("--set", "tx.outbox.lease_ms=30s")
AT_ONCE = 15  # On a busy machine, too; whoever waits for a long lease waits for longer.
CLIENT_THREADS = 1  # Of the HTTP client, by default: each writes one request at a time.
BILLING = "/api/outboxes/makegood_outbox/destinations/http:billing"
UNDELIVERED = "SELECT count(*) FROM makegood_outbox_status WHERE state <> 'done'"


class Nodes(PostgresCase):
    FLAGS = ()

    def setUp(self):
        super().setUp()
        self.inbox = self.receiver()
        self.nodes = [self.start(*self.FLAGS), self.start(*self.FLAGS)]
        self.await_(lambda: len(self.owners()) == 1, "one of them owns the lane")
        self.route_to(self.nodes[0], self.inbox)
        self.enqueue(20)
        self.await_arrival(self.inbox, events(20))
        self.await_(lambda: psql(self.url, "SELECT count(*) FROM makegood_outbox_status WHERE state <> 'done'")
                    == [("0",)], "it is recorded that they have arrived")

    def owners(self):
        return [node for node in self.nodes if node.process.poll() is None and node.owns()]

    def owner_and_other(self):
        owner = self.owners()[0]
        return owner, next(node for node in self.nodes if node is not owner)

    def expect_each_once(self, count):
        arrived = self.arrived(self.inbox)
        self.assertEqual(sorted(arrived), sorted(events(count)), "each of them once")

    def seconds_to_deliver(self, first):
        began = time.monotonic()
        self.enqueue(20, first)
        self.await_arrival(self.inbox, events(20, first))
        return time.monotonic() - began


class TwoNodes(Nodes):
    def test_deliver_each_message_once(self):
        self.enqueue(500, 21)
        self.await_arrival(self.inbox, events(520))
        self.expect_each_once(520)
        self.assertEqual(len(self.owners()), 1)

    def test_go_on_within_a_lease_after_the_owner_was_killed(self):
        owner, other = self.owner_and_other()
        owner.end(signal.SIGKILL)
        seconds = self.seconds_to_deliver(21)
        print(f"taken over {seconds:.2f} s after kill -9", flush=True)
        self.assertLess(seconds, TAKEN_WITHIN)
        self.assertTrue(other.owns())
        self.assertTrue(events(40) <= set(self.arrived(self.inbox)))

    def test_fence_an_owner_that_was_frozen_and_wakes_up(self):
        owner, other = self.owner_and_other()
        owner.send(signal.SIGSTOP)
        self.assertLess(self.seconds_to_deliver(21), TAKEN_WITHIN)
        self.assertTrue(other.owns())
        owner.send(signal.SIGCONT)
        # Its turn is refused; or, frozen in the middle of an exchange, the server has ended its session meanwhile.
        self.await_(lambda: not owner.owns() and "what=lost" in owner.log(), "it notices that it is no owner any more")
        self.assertGreater(owner.fenced_count(), 0)
        self.assertEqual(other.fenced_count(), 0)
        self.enqueue(20, 41)
        self.await_arrival(self.inbox, events(60))
        self.expect_each_once(60)
        self.assertEqual(self.owners(), [other])

    def test_let_nothing_leave_after_the_lease_of_an_owner_that_wakes_up(self):
        """What it had released waits at its transport for a place; meanwhile it stands still and is followed."""
        settings = {"in_flight_max": 4, "http": {"url": self.inbox.url}}
        self.settle(self.nodes[0], self.nodes[0].ask("PUT", BILLING, settings))
        first = 21
        for _ in range(3):
            owner, other = self.owner_and_other()
            arrived_before = len(self.inbox.bodies)
            self.enqueue(1000, first)
            self.await_(lambda: len(self.inbox.bodies) > arrived_before + 200, "it is in the midst of it")
            owner.send(signal.SIGSTOP)
            self.await_arrival(self.inbox, events(1000, first))
            self.await_(lambda: psql(self.url, UNDELIVERED) == [("0",)], "all of it is recorded by the other")
            arrived_asleep = len(self.inbox.bodies)
            lost_before = owner.log().count("what=lost")
            owner.send(signal.SIGCONT)
            self.await_(lambda: owner.log().count("what=lost") > lost_before, "it notices that it was followed")
            # One may be frozen between the comparison and the write to its socket, a moment that no process can close.
            self.assertLessEqual(len(self.arrived(self.inbox)[arrived_asleep:]), CLIENT_THREADS,
                                 "nothing that waited at the transport")
            self.assertTrue(other.owns())
            first += 1000

    def test_take_orders_from_either_of_them(self):
        for place, node in enumerate(self.nodes):
            self.assertEqual(node.enqueue(event_id=f"by-rest-{place}").status, 201)
            destination = f"/api/outboxes/makegood_outbox/destinations/http:other{place}"
            self.settle(node, node.ask("PUT", destination, {"http": {"url": self.inbox.url}}))
        self.await_arrival(self.inbox, {"by-rest-0", "by-rest-1"})


class WithALongLease(Nodes):
    FLAGS = LONG_LEASE

    def test_go_on_at_once_after_the_owner_was_stopped(self):
        owner, other = self.owner_and_other()
        self.assertEqual(owner.end()[0], 0, owner.log())
        seconds = self.seconds_to_deliver(21)
        print(f"taken over {seconds:.2f} s after a graceful stop", flush=True)
        self.assertLess(seconds, AT_ONCE)
        self.assertTrue(other.owns())
        self.expect_each_once(40)


class Traffic:
    """Writes to all outboxes until it is told to stop; each key counts on by itself."""

    def __init__(self, url, outboxes):
        self.url, self.outboxes = url, outboxes
        self.written = 0
        self.is_ended = threading.Event()
        self.thread = threading.Thread(target=self.write_on, daemon=True)
        self.thread.start()

    def write_on(self):
        while not self.is_ended.wait(0.1):
            self.written += 1
            psql(self.url, *(self.round_for(outbox) for outbox in self.outboxes))

    def round_for(self, outbox):
        return f"""INSERT INTO {outbox} (topic, event_id, dispatch_key, payload)
                   SELECT 'order.placed', concat_ws('-', '{outbox}', key, {self.written}), key, '1'
                   FROM unnest('{{a,b,c}}'::text[]) key"""

    def end(self):
        self.is_ended.set()
        self.thread.join()

    def ledger(self):
        return {f"{outbox}-{key}-{number}" for outbox in self.outboxes for key in "abc"
                for number in range(1, self.written + 1)}


class ManyOutboxes(PostgresCase):
    OUTBOXES = [f"module{i}_outbox" for i in range(1, 5)]
    EVEN_WITHIN = 30

    def setUp(self):
        super().setUp()
        self.inbox = self.receiver()
        self.write("routes.yaml", "".join(f"""---
outbox: {outbox}
destinations: [{{name: http:billing, http: {{url: '{self.inbox.url}'}}}}]
routes: [{{pattern: order.*, destination: http:billing}}]
""" for outbox in self.OUTBOXES))
        self.nodes = []
        self.add_node("--apply", self.path("routes.yaml"))
        self.await_(lambda: self.shares() == [4], "the first one owns them all")
        self.traffic = Traffic(self.url, self.OUTBOXES)
        self.addCleanup(self.traffic.end)

    def add_node(self, *flags):
        node = self.start(*(f"--outbox={outbox}" for outbox in self.OUTBOXES), *flags)
        self.nodes.append(node)
        return node

    def share_of(self, node):
        return sum(node.owns(outbox) for outbox in self.OUTBOXES)

    def shares(self):
        return sorted(self.share_of(node) for node in self.nodes)

    def await_shares(self, shares, what):
        began = time.monotonic()
        self.await_(lambda: self.shares() == shares, what, self.EVEN_WITHIN)
        print(f"{what}: after {time.monotonic() - began:.1f} s", flush=True)

    def expect_all_in_order(self):
        """None is lost, and of each key the first deliveries came in the order in which they were written."""
        self.traffic.end()
        self.await_arrival(self.inbox, self.traffic.ledger())
        arrived = self.arrived(self.inbox)
        print(f"{len(self.traffic.ledger())} messages, {len(arrived)} deliveries", flush=True)
        numbers = {}
        for event in dict.fromkeys(arrived):
            key, number = event.rsplit("-", 1)
            numbers.setdefault(key, []).append(int(number))
        for key, of_key in numbers.items():
            self.assertEqual(of_key, sorted(of_key), key)

    def handed_over_count(self):
        return sum(node.log().count("lane handed over") for node in self.nodes)

    def test_are_shared_by_two_nodes_and_then_stay_where_they_are(self):
        second = self.add_node()
        self.await_shares([2, 2], "each has two")
        count = self.handed_over_count()
        self.assertEqual(self.nodes[0].ask("GET", "/readyz").status, 200)
        time.sleep(6)  # Three words of each: nothing is to happen, so there is nothing to await.
        self.assertEqual((self.shares(), self.handed_over_count()), ([2, 2], count))
        self.assertEqual(second.end()[0], 0, second.log())
        self.nodes.remove(second)
        self.await_shares([4], "the other has all again")
        self.assertEqual(psql(self.url, "SELECT count(*) FROM makegood_node"), [("1",)], "who stops, leaves")
        self.expect_all_in_order()
        self.assertEqual(len(self.arrived(self.inbox)), len(self.traffic.ledger()), "each of them once")

    def test_are_left_in_good_order_by_a_node_that_is_stopped_while_it_hands_one_over(self):
        self.inbox.answer = lambda body: time.sleep(2) or 200
        first = self.nodes[0]
        self.add_node()
        self.await_(lambda: "lane handed over" in first.log(), "it begins to hand one over")
        self.assertEqual(first.end()[0], 0, first.log())
        self.nodes.remove(first)
        self.await_shares([4], "the other has all")
        self.inbox.answer = lambda body: 200
        self.expect_all_in_order()

    def test_go_to_a_late_joiner_too_and_survive_the_death_of_a_node(self):
        self.add_node()
        self.await_shares([2, 2], "each has two")
        self.add_node()
        self.await_shares([1, 1, 2], "the third has its share")
        victim = next(node for node in self.nodes if self.share_of(node) == 2)
        victim.end(signal.SIGKILL)
        self.nodes.remove(victim)
        began = time.monotonic()
        self.await_(lambda: sum(self.shares()) == 4, "the others own all", TAKEN_WITHIN)
        print(f"taken over {time.monotonic() - began:.2f} s after kill -9", flush=True)
        self.await_shares([2, 2], "and share them")
        self.expect_all_in_order()


if __name__ == "__main__":
    require_server()
    unittest.main()
