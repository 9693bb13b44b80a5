"""makegood outbox cancel and reset."""

import sqlite3
import unittest

from server import ServerCase
from store import ENQUEUE, STORE, StoreCase

WHO = ("--operator", "ann", "--reason", "wrong price")


class Cancel(ServerCase):
    def setUp(self):
        super().setUp()
        self.received = self.endpoint()
        self.succeed("destinations", "add", "http:in", "--url", self.received.url, "--route", "order.*", *WHO,
                     *self.server)
        self.succeed("outbox", "pause", "http:in", *WHO, *self.server)

    def enqueue(self, event):
        self.succeed("outbox", "enqueue", "order.placed", "--event-id", event, *self.server)

    def test_a_message_that_waits_is_not_sent_and_says_who_did_not_want_it(self):
        self.enqueue("e-1")
        self.enqueue("e-2")
        self.assertIn("is done", self.succeed("outbox", "cancel", "e-1", *WHO, *self.server))
        shown = self.json("outbox", "show", "1", *self.server)
        self.assertEqual(shown["state"], "quarantined")
        delivery, = [one for one in shown["deliveries"] if one["error_code"] == "TX.CANCELLED"]
        self.assertIn("Cancelled by ann: wrong price", delivery["last_error"])
        self.assertEqual(shown["requests"][-1]["kind"], "cancel_message")
        self.succeed("outbox", "resume", "http:in", *WHO, *self.server)
        self.await_that(lambda: self.received.topics)
        self.await_that(lambda: self.json("outbox", "show", "2", *self.server)["state"] == "done")
        self.assertEqual(len(self.received.topics), 1)
        listed = self.json("dead", "list", *self.server)["items"]
        self.assertEqual([one["state"] for one in listed], ["quarantined"], "it is not dead")

    def test_a_message_that_was_delivered_is_not_cancelled(self):
        self.succeed("outbox", "resume", "http:in", *WHO, *self.server)
        self.enqueue("e-1")
        self.await_that(lambda: self.json("outbox", "show", "1", *self.server)["state"] == "done")
        refused = self.fail_with(1, "outbox", "cancel", "1", *WHO, *self.server).stderr
        self.assertIn("nothing of it is still to be sent", refused)

    def test_what_is_not_there_is_not_found(self):
        self.assertIn("REQUEST.NOT_FOUND", self.fail_with(1, "outbox", "cancel", "7", *WHO, *self.server).stderr)

    def test_an_undelivered_message_cannot_be_deleted_by_hand(self):
        self.enqueue("e-1")
        with self.assertRaisesRegex(sqlite3.IntegrityError, "still to be delivered"):
            self.execute(("DELETE FROM makegood_outbox",))

    def test_a_reset_is_refused_while_a_relay_owns_the_outbox(self):
        self.enqueue("e-1")
        self.assertIn("stop the relay", self.fail_with(1, "outbox", "reset", "--yes", *STORE).stderr)
        self.assertEqual(self.execute(("SELECT count(*) FROM makegood_outbox",)), [(1,)])


class Reset(StoreCase):
    def test_empties_the_outbox_and_keeps_destinations(self):
        self.succeed("migrate", *STORE)
        self.write_routes(("order.*", "http:in"))
        self.execute(ENQUEUE, ENQUEUE)
        self.assertIn("--yes", self.fail_with(1, "outbox", "reset", *STORE).stderr)
        self.assertEqual(self.execute(("SELECT count(*) FROM makegood_outbox",)), [(2,)])
        self.assertIn("is empty", self.succeed("outbox", "reset", "--yes", *STORE))
        self.assertEqual(self.execute(("SELECT count(*) FROM makegood_outbox",)), [(0,)])
        self.assertEqual(self.execute(("SELECT count(*) FROM makegood_outbox_route",)), [(1,)])
        self.execute(ENQUEUE)
        self.assertEqual(self.execute(("SELECT sequence FROM makegood_outbox",)), [(3,)])


if __name__ == "__main__":
    unittest.main()
