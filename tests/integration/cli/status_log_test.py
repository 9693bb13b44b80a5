"""What status says when log or counter are not what the lane has seen: each made real, and what is advised is run."""

import contextlib
import os
import sqlite3
import subprocess
import threading
import unittest

from live import DESTINATION, LiveCase
from program import PROGRAM, clean_environment
from server import OPEN_DOOR, WAIT_SECONDS, Endpoint
from store import STORE

# Whoever has the file can do all of this; the triggers keep it from happening by mistake.
WITHOUT_TRIGGERS = tuple((f"DROP TRIGGER makegood_outbox_{name}",) for name in ("needed", "next", "immutable"))


class Logs(LiveCase):
    def setUp(self):
        super().setUp()
        self.inbox = self.endpoint()
        self.route_to(self.inbox)

    def deliver(self, *names):
        """They have arrived, and nothing is under way."""
        before = len(self.inbox.topics)
        for name in names:
            self.enqueue(f"order.{name}")
        self.await_that(lambda: len(self.inbox.topics) == before + len(names))
        self.await_that(lambda: self.json("outbox", "lanes", *self.server)["under_way_count"] == 0)

    def mend_as_advised(self, words, *arrives):
        """What `status` advises is run; then these arrive, nothing else does, and the lane goes on."""
        before = len(self.inbox.topics)
        self.await_that(lambda: "rewind" in self.advised(words))  # The store has it a moment later than the relay.
        self.run_advice(words)
        self.no_trouble()
        self.deliver("afterwards")
        self.assertEqual(sorted(self.inbox.topics[before:]), sorted([*arrives, "order.afterwards"]))


class Anchors(Logs):
    def test_of_a_log_that_was_emptied(self):
        self.deliver("one", "two")
        self.execute(*WITHOUT_TRIGGERS, ("DELETE FROM makegood_outbox",))
        words = "The newest message that was read is gone"
        self.expect_stopped(words, "STORAGE.LOG_CHANGED")
        self.mend_as_advised(words)

    def test_of_a_log_that_was_emptied_and_filled_again(self):
        self.deliver("one", "two")
        self.execute(*WITHOUT_TRIGGERS, ("DELETE FROM makegood_outbox",), ("UPDATE sqlite_sequence SET seq = 0",),
                     *(("INSERT INTO makegood_outbox (topic, payload) VALUES (?, '{}')", (f"order.{name}",))
                       for name in ("three", "four")))
        words = "The number of the newest message that was read is another message's"
        self.expect_stopped(words, "STORAGE.LOG_CHANGED")
        self.mend_as_advised(words, "order.three", "order.four")


class Hanging(Endpoint):
    """Answers nothing until it is let go."""

    def __init__(self):
        self.go = threading.Event()
        super().__init__()

    @property
    def status(self):
        self.go.wait(WAIT_SECONDS)
        return 200

    @status.setter
    def status(self, _):
        pass


class UnderWay(LiveCase):
    def test_of_a_message_that_was_deleted_by_hand_while_it_was_under_way(self):
        endpoint = Hanging()
        self.addCleanup(endpoint.close)
        self.addCleanup(endpoint.go.set)
        self.route_to(endpoint)
        self.enqueue("order.one")
        self.enqueue("order.two")
        self.await_that(lambda: len(endpoint.topics) == 2)
        self.kill_server()
        self.execute(*WITHOUT_TRIGGERS, ("DELETE FROM makegood_outbox WHERE sequence = 1",))
        endpoint.go.set()
        self.serve()
        words = "Message 1 was under way and is no longer in makegood_outbox: it was deleted by hand"
        self.await_that(lambda: any(words in line for line in self.log))
        self.await_that(lambda: len(endpoint.topics) == 3)
        self.assertEqual(endpoint.topics[2], "order.two", "the other one is sent once more")
        self.no_trouble()


class Cleaned(Logs):
    SERVE = ("--set", "cleaner.retention=0", "--set", "cleaner.interval=1s")

    def test_of_messages_where_others_were_cleaned_away(self):
        self.deliver("one", "two", "three")
        self.await_that(lambda: self.execute(("SELECT count(*) FROM makegood_outbox WHERE sequence <= 2",)) == [(0,)])
        self.execute(*WITHOUT_TRIGGERS, ("INSERT INTO makegood_outbox (sequence, topic, payload) "
                                         "VALUES (2, 'order.again', '{}')",))
        words = "Messages lie where delivered ones were cleaned away"
        self.expect_stopped(words, "STORAGE.LOG_CHANGED")
        left = self.execute(("SELECT topic FROM makegood_outbox WHERE topic LIKE 'order.%'",))
        self.mend_as_advised(words, *(topic for topic, in left))


class WhileNobodyLooks(Logs):
    """What status reads in a store of which no owner has said anything yet."""

    def restart(self):
        again = subprocess.Popen([PROGRAM, "serve", *STORE, "--listen", "127.0.0.1:0"], cwd=self.folder,
                                 env=clean_environment(**OPEN_DOOR, MAKEGOOD_SERVER_DOOR_FOLDER=f"{self.folder}/door"),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(again.wait)
        self.addCleanup(again.kill)

    def test_of_a_counter_that_was_set_back(self):
        self.deliver("one", "two", "three")
        self.process.kill()
        self.process.wait()
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "shop.db"))) as db, db:
            db.execute("UPDATE sqlite_sequence SET seq = 1")
        words = "The store's counter is behind the position: nothing is sent."
        self.assertEqual(self.trouble(words, *STORE)["severity"], "critical")
        advised = self.advised(words, *STORE)
        self.assertIn("rewind", advised)
        self.restart()
        self.succeed(*advised)
        # The rows are above the counter still.
        words = "The log holds a number that the database never drew"
        self.assertEqual(self.trouble(words, *STORE)["severity"], "critical")
        told = self.run_advice(words, *STORE, exits=(1,))
        mend = told.partition("If the counter was set back: ")[2].splitlines()[0]
        self.execute((mend,))
        self.await_that(lambda: len(self.inbox.topics) == 6)
        self.assertEqual(sorted(self.inbox.topics[3:]), ["order.one", "order.three", "order.two"])
        self.await_that(lambda: self.json("status", *STORE)["troubles"] == [])


class Unreachable(LiveCase):
    SERVE = ("--set", "tx.outbox.unreachable_for_ms=1000")

    def test_of_a_destination_that_nobody_has_reached_for_too_long(self):
        endpoint = self.endpoint()
        self.route_to(endpoint)
        endpoint.close()
        for _ in range(12):
            self.enqueue()
        words = f"{DESTINATION} is disabled: "
        trouble = self.trouble(words)
        self.assertEqual((trouble["severity"], trouble["count"] > 0), ("critical", True))
        self.assertIsNotNone(trouble["since"])
        self.assertEqual(self.json("dead", "list", *self.server)["items"], [], "they wait, and none is dead")
        self.run_advice(words)
        self.await_that(lambda: not [one for one in self.json("status", *self.server)["troubles"]
                                     if words in one["what"]])


if __name__ == "__main__":
    unittest.main()
