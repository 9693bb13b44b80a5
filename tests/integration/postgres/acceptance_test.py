"""The acceptance list of an outbox on PostgreSQL, one test for each point: whole nodes, a real server, plain SQL.

Other tests go further into each of them; docs/postgres-acceptance.md says which.
"""

import signal
import time
import unittest

from place import TAKEN_WITHIN, PostgresCase, events, psql, require_server

TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
TRACESTATE = "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"
ATTEMPTS_MAX = 3
KEPT_BYTES_MAX = 2048


class Acceptance(PostgresCase):
    def setUp(self):
        super().setUp()
        psql(self.url, "CREATE TABLE orders (id text PRIMARY KEY)")
        self.inbox = self.receiver()
        self.node = self.start("--set", "cleaner.interval=1s", "--set", "cleaner.retention=1s")
        self.settle(self.node, self.node.ask("PUT", "/api/outboxes/makegood_outbox/destinations/http:billing", {
            "http": {"url": self.inbox.url}, "circuit": {"failures_max": 0},
            "retry": {"attempts_max": ATTEMPTS_MAX, "base_ms": 10, "cap_ms": 50}}))
        self.settle(self.node, self.node.ask("PUT", "/api/outboxes/makegood_outbox/routes", {
            "routes": [{"pattern": "order.*", "destination": "http:billing"}], "reason": "a try"}))

    def place_order(self, event, end="COMMIT", payload="1", key="null"):
        psql(self.url, f"""
            BEGIN;
            INSERT INTO orders VALUES ('{event}');
            INSERT INTO makegood_outbox (topic, event_id, dispatch_key, payload)
            VALUES ('order.placed', '{event}', {key}, '{payload}');
            {end}""")

    def status_of(self, event, columns="state, attempts"):
        rows = psql(self.url, f"SELECT {columns} FROM makegood_outbox_status WHERE event_id = '{event}'")
        return rows[0] if rows else None

    def await_state(self, event, state):
        self.await_(lambda: (self.status_of(event) or ("gone",))[0] == state, f"{event} is {state}")

    def test_atomicity_what_was_rolled_back_leaves_no_message(self):
        self.place_order("undone", "ROLLBACK")
        self.place_order("done")
        self.await_arrival(self.inbox, {"done"})
        self.assertEqual(psql(self.url, "SELECT id FROM orders"), [("done",)])
        self.assertIsNone(self.status_of("undone"))
        self.assertEqual(self.arrived(self.inbox), ["done"])

    def test_no_double_claim_two_workers_never_send_the_same_message(self):
        self.start()
        self.enqueue(400)
        self.await_arrival(self.inbox, events(400))
        self.assertEqual(sorted(self.arrived(self.inbox)), sorted(events(400)))

    def test_single_active_owner_one_of_three_nodes_says_so(self):
        nodes = [self.node, self.start(), self.start()]
        until = time.monotonic() + 3
        while time.monotonic() < until:
            self.assertLessEqual(sum(node.owns() for node in nodes), 1)
        self.assertEqual(sum(node.owns() for node in nodes), 1)

    def test_recovery_after_a_crash_another_sends_what_was_under_way(self):
        other = self.start()
        self.inbox.answer = lambda body: time.sleep(1) or 200
        self.enqueue(20)
        self.await_(lambda: self.status_of("e-1")[0] == "leased", "they are under way")
        owner = self.node if self.node.owns() else other
        owner.end(signal.SIGKILL)
        killed_at = time.monotonic()
        self.inbox.answer = lambda body: 200
        self.inbox.bodies.clear()
        self.await_arrival(self.inbox, events(20))
        self.assertLess(time.monotonic() - killed_at, TAKEN_WITHIN)

    def test_retry_and_dead_the_message_ends_after_its_attempts_and_is_still_there(self):
        self.inbox.answer = lambda body: 500
        self.place_order("unlucky", payload='{"n": 17}')
        self.await_state("unlucky", "dead")
        self.assertEqual(len(self.arrived(self.inbox)), ATTEMPTS_MAX)
        self.assertEqual(self.status_of("unlucky", "state, attempts, payload"),
                         ("dead", str(ATTEMPTS_MAX), '{"n": 17}'))
        self.assertEqual(psql(self.url, "SELECT event_id FROM makegood_outbox_status WHERE state = 'dead'"),
                         [("unlucky",)])

    def test_poison_message_fails_up_to_its_last_attempt_and_holds_up_no_later_ones(self):
        self.inbox.answer = lambda body: 500 if b"poison" in body else 200
        self.place_order("bad", payload='"poison"', key="'k'")
        for event in ("same-key", "next"):
            self.place_order(event, key="'k'")
        self.place_order("other-key", key="'x'")
        self.await_arrival(self.inbox, {"same-key", "next", "other-key"})
        self.await_state("bad", "dead")
        self.assertEqual(self.arrived(self.inbox).count("bad"), ATTEMPTS_MAX)
        self.assertEqual(self.status_of("bad"), ("dead", str(ATTEMPTS_MAX)))

    def test_outage_no_message_dies_while_nobody_is_there(self):
        self.inbox.answer = lambda body: 503
        self.place_order("patient")
        self.await_(lambda: int(self.status_of("patient")[1]) > 3 * ATTEMPTS_MAX, "it was sent often")
        self.assertEqual(psql(self.url, "SELECT state, answered FROM makegood_outbox_parked"), [("waiting", "0")])
        self.inbox.answer = lambda body: 200
        self.await_state("patient", "done")

    def test_trace_context_is_handed_through_unchanged(self):
        psql(self.url, f"""INSERT INTO makegood_outbox (topic, event_id, payload, traceparent, tracestate)
                           VALUES ('order.placed', 'traced', '1', '{TRACEPARENT}', '{TRACESTATE}')""")
        self.await_arrival(self.inbox, {"traced"})
        headers = self.inbox.headers[0]
        self.assertEqual((headers["traceparent"], headers["tracestate"]), (TRACEPARENT, TRACESTATE))

    def test_cleaner_takes_what_was_delivered_and_nothing_else(self):
        self.inbox.answer = lambda body: 400 if b"poison" in body else 200
        self.place_order("bad", payload='"poison"')
        psql(self.url, """INSERT INTO makegood_outbox (topic, event_id, payload, available_at)
                          VALUES ('order.placed', 'delayed', '1', now() + interval '1 hour')""")
        self.place_order("good")
        self.await_arrival(self.inbox, {"good"})
        self.await_(lambda: self.status_of("good") is None, "the delivered one is cleaned")
        self.assertEqual(self.status_of("bad")[0], "dead")
        self.assertEqual(self.status_of("delayed")[0], "pending")

    def test_last_error_tells_what_happened_and_nothing_of_the_payload(self):
        secret = "a secret of the customer " * 4
        self.inbox.answer = lambda body: 400
        self.inbox.words = lambda body: b"cannot take " + body + b"\x00\xff\x1b[31m" + b"x" * 10_000
        self.place_order("bad", payload=f'"{secret}"')
        self.await_state("bad", "dead")
        (error,) = self.status_of("bad", "last_error")
        self.assertIn("400 Bad Request", error)
        self.assertTrue(error.isprintable(), error)
        self.assertLessEqual(len(error.encode()), KEPT_BYTES_MAX)
        for told in (error, self.node.log(), str(psql(self.url, "SELECT story FROM makegood_outbox_parked"))):
            self.assertNotIn("secret", told)


if __name__ == "__main__":
    require_server()
    unittest.main()
