"""The receivers of examples/receivers, against real deliveries. receivers_test.py python|node"""

import base64
import json
import shutil
import sqlite3
import sys
import unittest

from receiver_process import (NEW_KEY, OLD_KEY, OTHER_KEY, PAIR_PUBLIC_KEY, Capture, NodeReceiver, PythonReceiver,
                              deliver, signed)

KIND = sys.argv.pop(1)
ReceiverUnderTest = {"python": PythonReceiver, "node": NodeReceiver}[KIND]


class ReceiverTest(unittest.TestCase):
    def start(self, keys=(OLD_KEY,), **options):
        receiver = ReceiverUnderTest(keys, **options)
        self.addCleanup(receiver.close)
        return receiver

    def captured(self, **names):
        capture = Capture()
        self.addCleanup(capture.close)
        self.assertEqual(deliver(capture, **names).kind, "ok")
        return capture

    def assert_refused(self, outcome, status):
        self.assertEqual(outcome.kind, "fail")
        self.assertIn(status, outcome.detail)

    def test_accepts_both_modes(self):
        receiver = self.start()
        for mode in ("binary", "structured"):
            outcome = deliver(receiver, id=mode, format=mode, content='{"a":"ä"}', tenant="Bjørn & sons")
            self.assertEqual(outcome.kind, "ok", outcome.detail)
        self.assertEqual(receiver.effects(), [("order.created.v1", {"a": "ä"})] * 2)

    def test_accepts_bytes_that_are_not_json_in_both_modes(self):
        receiver = self.start()
        for mode in ("binary", "structured"):
            deliver(receiver, id=mode, format=mode, content="\x01 é", type="application/octet-stream", body="yes")
        data = "\x01 é".encode()
        expected = data if KIND == "python" else base64.b64encode(data).decode()
        self.assertEqual(receiver.effects(), [("order.created.v1", expected)] * 2)

    def test_counts_a_repeated_event_once_and_answers_that_it_is_done(self):
        receiver = self.start()
        for _ in range(3):
            self.assertEqual(deliver(receiver).kind, "ok")
        self.assertEqual(len(receiver.effects()), 1)

    def test_counts_the_same_id_of_two_tenants_twice(self):
        receiver = self.start()
        for tenant in ("acme", "globex"):
            self.assertEqual(deliver(receiver, tenant=tenant).kind, "ok")
        self.assertEqual(len(receiver.effects()), 2)

    def test_remembers_what_it_has_done_when_it_is_killed(self):
        receiver = self.start()
        for _ in range(2):
            self.assertEqual(deliver(receiver, id="order-7.1700000000.x").kind, "ok")
            receiver.kill()
            receiver.start()
        self.assertEqual(len(receiver.effects()), 1)

    @unittest.skipIf(KIND == "python", "it has no journal file: SQLite writes a row whole or not at all")
    def test_forgets_a_line_that_was_only_half_written(self):
        receiver = self.start()
        deliver(receiver)
        receiver.kill()
        with open(receiver.path("journal.jsonl"), "a", encoding="utf-8") as journal:
            journal.write('{"key":"/makegood/shop_outbox/default event-2","to')
        receiver.start()
        self.assertEqual(deliver(receiver, id="event-2").kind, "ok")
        self.assertEqual(len(receiver.effects()), 2)

    @unittest.skipIf(KIND == "node", "it has no database that another could lock, only a journal file")
    def test_asks_for_another_try_later_while_its_database_is_locked(self):
        receiver = self.start()
        database = sqlite3.connect(receiver.path("shop.db"), isolation_level=None)
        self.addCleanup(database.close)
        database.execute("BEGIN IMMEDIATE")
        outcome = deliver(receiver)
        self.assertEqual((outcome.kind, outcome.retry_after), ("retry", 5))
        self.assertIn("503", outcome.detail)
        database.execute("ROLLBACK")
        self.assertEqual(deliver(receiver).kind, "ok")
        self.assertEqual(len(receiver.effects()), 1)

    def test_accepts_what_either_of_two_keys_has_signed(self):
        knows_old, knows_both, knows_new = self.start([OLD_KEY]), self.start([OLD_KEY, NEW_KEY]), self.start([NEW_KEY])
        for receiver in (knows_old, knows_both, knows_new):
            self.assertEqual(deliver(receiver, keys=("NEW", "OLD")).kind, "ok")
        self.assertEqual(deliver(knows_both, keys=("NEW",), id="event-2").kind, "ok")
        self.assert_refused(deliver(knows_old, keys=("NEW",), id="event-2"), "401")

    @unittest.skipIf(KIND == "python",
                     "the Python receiver checks HMAC only: Python's standard library has no Ed25519; Node runs this")
    def test_accepts_the_signature_of_a_pair_of_keys(self):
        receiver = self.start([PAIR_PUBLIC_KEY])
        self.assertEqual(deliver(receiver, keys=("PAIR",)).kind, "ok")
        self.assertEqual(deliver(receiver, keys=("OLD",), id="event-2").kind, "fail")
        self.assertEqual(deliver(receiver, keys=("OLD", "PAIR"), id="event-3").kind, "ok")

    def test_ignores_signatures_of_a_kind_that_it_does_not_know(self):
        self.assertEqual(deliver(self.start(), keys=("PAIR", "OLD")).kind, "ok")

    def test_refuses_what_is_not_signed_by_a_known_key(self):
        receiver = self.start([OTHER_KEY])
        self.assertEqual(deliver(receiver).kind, "fail")
        self.assertEqual(deliver(receiver, keys=()).kind, "fail")
        self.assertEqual(receiver.effects(), [])

    def test_refuses_a_body_or_an_id_that_was_changed_on_its_way(self):
        receiver = self.start()
        for mode in ("binary", "structured"):
            request = self.captured(format=mode, id=mode, content='{"amount":1}')
            tampered = request.body.replace(b'"amount":1', b'"amount":9')
            self.assertEqual(receiver.post(request.headers, tampered).status, 401)
            self.assertEqual(receiver.post({**request.headers, "webhook-id": "other"}, request.body).status, 401)
            self.assertEqual(receiver.post(request.headers, request.body).status, 204, "unchanged it is accepted")
        self.assertEqual([data for _, data in receiver.effects()], [{"amount": 1}] * 2)

    def test_refuses_what_was_signed_too_long_ago_or_is_from_the_future(self):
        receiver = self.start()
        for shift in (-360, 360):
            self.assert_refused(deliver(receiver, shift_seconds=shift), "401")
        self.assertEqual(receiver.effects(), [])
        self.assertEqual(deliver(receiver, shift_seconds=-240).kind, "ok")

    def test_refuses_for_good_what_is_signed_and_no_event(self):
        receiver = self.start()
        for event in (None, 7, "text", [], {}, {"type": "t"}, {"source": "/s"}, {"source": 1, "type": "t"},
                      {"source": "/s", "type": "t", "data_base64": 7}):
            body = json.dumps(event).encode()
            headers = {**signed(body, OLD_KEY), "Content-Type": "application/cloudevents+json"}
            self.assertEqual(receiver.post(headers, body).status, 422, event)
        body = b"{}"
        headers = {**signed(body, OLD_KEY), "Content-Type": "application/json", "ce-type": "t"}
        self.assertEqual(receiver.post(headers, body).status, 422, "without a source it cannot be told from others")
        self.assertEqual(receiver.post({**headers, "ce-source": "/s"}, body).status, 204)
        self.assertEqual(len(receiver.effects()), 1)

    def test_asks_for_another_try_soon_when_it_has_too_much_to_do(self):
        receiver = self.start()
        refusal = receiver.refusal_when_crowded()
        self.assertEqual((refusal.status, refusal.headers["Retry-After"]), (429, "1"))
        self.assertEqual(deliver(receiver).kind, "ok")
        self.assertEqual(len(receiver.effects()), 1)

    def test_says_that_it_wants_nothing_any_more(self):
        self.assertEqual(deliver(self.start(unsubscribed=True)).kind, "gone")

    def test_refuses_for_good_what_it_can_never_read(self):
        receiver = self.start()
        self.assert_refused(deliver(receiver, content="{", body="yes"), "422")
        self.assertEqual(deliver(receiver, content='"' + "x" * 70_000 + '"', id="event-2").kind, "ok")
        self.assertEqual(len(receiver.effects()), 1)


if __name__ == "__main__":
    if KIND == "node" and shutil.which("node") is None:
        print("SKIPPED: node is not installed, so the receiver of examples/receivers/node is not tested")
        sys.exit(77)
    unittest.main(verbosity=2)
