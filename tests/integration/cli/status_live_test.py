"""Every sentence of makegood status, each in a situation that is made real; and the command that it advises is run."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import unittest

from live import DESTINATION, LiveCase
from program import PROGRAM, clean_environment
from store import ENQUEUE, STORE


class Sentences(LiveCase):
    def test_of_messages_without_any_route(self):
        self.enqueue()
        words = "There is no route yet"
        self.assertEqual(self.trouble(words)["severity"], "critical")
        self.run_advice(words, NAME=DESTINATION, URL=self.endpoint().url)
        self.no_trouble()

    def test_of_a_topic_that_had_no_route(self):
        self.route_to(self.endpoint())
        self.enqueue("mail.sent")
        words = "1 message of topic 'mail.sent' had no route."
        self.trouble(words)
        self.assertIn("order.*", self.run_advice(words))

    def test_of_a_destination_that_fails_and_of_the_key_it_blocks(self):
        self.route_to(self.endpoint(500), "--attempts", "50")
        self.enqueue("order.placed", "--key", "order-7")
        words = "http:in fails: no delivery to it has succeeded since."
        self.assertIsNotNone(self.trouble(words)["since"])
        self.run_advice(words, exits=(0, 1))
        alone = "There is 1 blocked key; nothing waits behind it yet."
        self.trouble(alone)
        self.assertIn("order-7", self.run_advice(alone))
        self.enqueue("order.placed", "--key", "order-7")
        self.trouble("1 message waits behind 1 blocked key.")

    def test_of_an_open_circuit(self):
        endpoint = self.endpoint(503)
        self.route_to(endpoint)
        for _ in range(20):
            self.enqueue()
        words = "The circuit of http:in is open."
        self.assertEqual(self.trouble(words)["severity"], "critical")
        self.run_advice(words, exits=(0, 1))
        endpoint.status = 200
        self.no_trouble()

    def test_of_a_pause_with_its_own_since_and_because(self):
        endpoint = self.endpoint(500)
        self.route_to(endpoint)
        self.enqueue()
        failing = self.trouble("http:in fails")
        self.succeed("destinations", "disable", DESTINATION, "--operator", "ann", "--reason", "moving house",
                     *self.server)
        words = "http:in is paused by ann: moving house."
        paused = self.trouble(words)
        self.assertGreater(paused["since"], failing["since"])
        self.assertEqual(paused["held_by"], "an operator")
        endpoint.status = 200
        self.run_advice(words)
        self.no_trouble()

    def test_of_a_tenant_that_is_paused(self):
        self.route_to(self.endpoint())
        self.succeed("outbox", "pause", DESTINATION, "--tenant", "acme & sons", "--operator", "ann", *self.server)
        words = "http:in is paused for tenant acme & sons by ann."
        self.assertIsNotNone(self.trouble(words)["since"])
        self.run_advice(words)
        self.no_trouble()

    def test_of_a_second_pause_says_that_it_is_done(self):
        self.route_to(self.endpoint())
        for _ in range(2):
            out = self.succeed("outbox", "pause", DESTINATION, "--operator", "ann", *self.server)
            self.assertIn("is done", out)

    def test_of_a_destination_that_is_gone(self):
        endpoint = self.endpoint(410)
        self.route_to(endpoint)
        self.enqueue()
        words = "http:in is disabled: It said that it is gone"
        self.assertIsNotNone(self.trouble(words)["since"])
        endpoint.status = 200
        self.run_advice(words)
        self.await_that(lambda: not [one for one in self.json("status", *self.server)["troubles"]
                                     if "disabled" in one["what"]])

    def test_of_dead_letters(self):
        self.route_to(self.endpoint(400))
        self.enqueue()
        words = "1 dead letter of topic 'order.placed' at http:in: "
        self.trouble(words)
        self.assertIn("order.placed", self.run_advice(words))

    def test_of_a_store_says_that_it_was_read_there(self):
        self.assertIn("This was read from the store.", self.succeed("status", *STORE))
        self.assertNotIn("This was read from the store.", self.succeed("status", *self.server))


class Alarms(LiveCase):
    """What the relay suffers from at this moment: only the process that has it knows."""

    def test_of_a_store_that_is_locked(self):
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "shop.db"), isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            words = "locked by another connection"
            self.expect_stopped(words, "STORAGE.UNAVAILABLE")
            self.assertRegex(self.run_advice(words, exits=(1,)), "wrong    write lock: .*\n +→ Find whose it is")
            db.execute("ROLLBACK")
        self.no_trouble()

    def test_of_a_counter_that_was_set_back(self):
        self.route_to(self.endpoint())
        self.enqueue()
        self.await_that(lambda: self.json("outbox", "lanes", *self.server)["under_way_count"] == 0)
        self.await_that(lambda: self.json("outbox", "lanes", *self.server)["reached"] == 1)
        # Whoever has the file can do it all the same.
        self.execute(("DROP TRIGGER makegood_outbox_needed",), ("DELETE FROM makegood_outbox",),
                     ("UPDATE sqlite_sequence SET seq = 0",))
        words = "counter was set back"
        self.expect_stopped(words, "STORAGE.COUNTER_BEHIND")
        self.run_advice(words)
        self.no_trouble()

    def stop_after_four(self):
        """Four messages have arrived; then the counter is set back, and right again. The lane stays stopped."""
        endpoint = self.endpoint()
        self.route_to(endpoint)
        for name in ("one", "two", "three", "four"):
            self.enqueue(f"order.{name}")
        self.await_that(lambda: len(endpoint.topics) == 4)
        self.await_that(lambda: self.json("outbox", "lanes", *self.server)["under_way_count"] == 0)
        self.execute(("UPDATE sqlite_sequence SET seq = 1",))
        self.expect_stopped("counter was set back", "STORAGE.COUNTER_BEHIND")
        refused = self.makegood("outbox", "go-on", "--operator", "ann", "--reason", "too early", *self.server)
        self.assertEqual(refused.returncode, 1, refused.stdout + refused.stderr)
        self.execute(("UPDATE sqlite_sequence SET seq = 4",))
        return endpoint

    def test_of_a_rewind_to_where_the_operator_says(self):
        endpoint = self.stop_after_four()
        self.succeed("outbox", "rewind", "--to", "3", "--operator", "ann", "--reason", "test", *self.server)
        self.await_that(lambda: len(endpoint.topics) == 6)
        self.assertEqual(sorted(endpoint.topics[4:]), ["order.four", "order.three"])
        self.no_trouble()

    def test_of_a_lane_that_goes_on_when_its_log_is_right_again(self):
        endpoint = self.stop_after_four()
        self.succeed("outbox", "go-on", "--operator", "ann", "--reason", "it is right again", *self.server)
        self.enqueue("order.five")
        self.await_that(lambda: len(endpoint.topics) == 5)
        self.assertEqual(endpoint.topics[4], "order.five", "and nothing twice")
        self.no_trouble()

    def test_of_a_number_that_the_database_never_drew(self):
        self.route_to(self.endpoint())
        self.enqueue()
        self.await_that(lambda: self.json("outbox", "lanes", *self.server)["reached"] == 1)
        self.execute(ENQUEUE, ("UPDATE sqlite_sequence SET seq = 1",))
        words = "a number that the database never drew"
        self.expect_stopped(words, "STORAGE.CORRUPT")
        self.run_advice(words, exits=(0, 1))
        self.execute(("UPDATE sqlite_sequence SET seq = 2",))
        self.no_trouble()


class Copies(LiveCase):
    def prepare(self):
        self.succeed("migrate", "--store", "sqlite:original.db")
        # Its first relay makes the file known.
        first = subprocess.Popen([PROGRAM, "serve", "--store", "sqlite:original.db", "--listen", "127.0.0.1:0"],
                                 cwd=self.folder, env=clean_environment(), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, encoding="utf-8")
        for line in first.stderr:
            if "taken" in line:
                break
        first.terminate()
        first.communicate()
        shutil.copy(os.path.join(self.folder, "original.db"), os.path.join(self.folder, "shop.db"))

    def test_are_told_and_adopted_as_advised(self):
        words = "This database is a copy"
        trouble = self.trouble(words)
        self.assertEqual((trouble["severity"], trouble["code"]), ("critical", "STORAGE.FOREIGN"))
        self.run_advice(words)
        self.no_trouble()


class Unowned(LiveCase):
    def serve_as_advised(self, words):
        arguments = self.advised(words, *STORE)
        again = subprocess.Popen([PROGRAM, *arguments, "--listen", "127.0.0.1:0"], cwd=self.folder,
                                 env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.await_that(lambda: not [one for one in self.json("status", *STORE)["troubles"]
                                         if "owned" in one["what"] or "owns" in one["what"]])
        finally:
            again.terminate()
            again.wait()

    def test_is_told_after_the_owner_has_died(self):
        self.route_to(self.endpoint())
        self.process.kill()
        self.process.wait()
        self.execute(ENQUEUE, ("UPDATE makegood_outbox_turn SET lease_until = at",))
        words = "Nobody owns the outbox: its messages are not sent."
        self.assertEqual(self.trouble(words, *STORE)["count"], 1)
        self.serve_as_advised(words)


    def test_is_told_of_an_outbox_that_nobody_ever_owned(self):
        self.process.kill()
        self.process.wait()
        os.remove(os.path.join(self.folder, "shop.db"))
        self.succeed("migrate", *STORE)
        self.execute(ENQUEUE)
        words = "Nobody has ever owned the outbox: its messages are not sent."
        self.trouble(words, *STORE)
        self.serve_as_advised(words)


class Frozen(LiveCase):
    def test_owner_lets_messages_wait(self):
        self.route_to(self.endpoint())
        self.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.process.send_signal, signal.SIGCONT)
        self.execute(("INSERT INTO makegood_outbox (topic, payload, created_at) VALUES ('order.placed', '{}', "
                      "CAST(strftime('%s') AS INTEGER) * 1000 - 120000)",))
        self.execute(("UPDATE makegood_outbox_turn SET lease_until = lease_until + 60000",))
        words = "Messages wait longer than a minute to be read."
        self.assertEqual(self.trouble(words, *STORE)["count"], 1)
        self.assertIn("0 of 1, 1 to go", self.run_advice(words, *STORE))


class AnotherStore(LiveCase):
    """A server in the environment must not answer for a store that a flag names."""

    def test_is_read_where_a_flag_names_it(self):
        self.succeed("migrate", "--store", "sqlite:other.db")
        self.write("other.yaml", "store:\n  url: sqlite:other.db\n")
        for flags in (("--store", "sqlite:other.db"), ("--set", "store.url=sqlite:other.db"),
                      ("--config", "other.yaml")):
            for verb in (("status",), ("outbox", "lanes"), ("outbox", "routes"), ("outbox", "show")):
                self.succeed(*verb, *flags, MAKEGOOD_SERVER="http://127.0.0.1:1")
            self.assertIn("sqlite:other.db", self.succeed("status", *flags, MAKEGOOD_SERVER=self.server[1]))

    def test_is_the_servers_where_none_does(self):
        self.route_to(self.endpoint())
        environment = {"MAKEGOOD_SERVER": self.server[1]}
        self.assertIn("order.*", self.succeed("outbox", "routes", **environment))
        self.assertIn("Owner ", self.succeed("outbox", "lanes", **environment))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "makegood.db")))


if __name__ == "__main__":
    unittest.main()
