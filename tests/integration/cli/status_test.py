"""makegood status: the question at three in the morning."""

import unittest

from server import ServerCase
from store import ENQUEUE, STORE, StoreCase

BROKEN = {"reached": 1, "open": [], "under_way": {}, "sides": [
    {"destination": "http:billing", "why": "broken", "is_paused": False, "reached": 1, "under_way": []}]}
FAR_FUTURE = 32_000_000_000_000


class Status(StoreCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def test_says_that_all_is_well(self):
        out = self.succeed("status", *STORE)
        self.assertEqual(out.splitlines()[0], "All is well with sqlite:shop.db.")
        self.assertIn("makegood_outbox  nobody  0", out)
        self.assertEqual((self.json("status", *STORE)["is_ok"], self.makegood("status", *STORE, "--check").returncode),
                         (True, 0))

    def test_says_that_nobody_owns_what_waits(self):
        self.execute(ENQUEUE, ENQUEUE)
        out = self.succeed("status", *STORE)
        self.assertIn("CRITICAL  makegood_outbox: Nobody has ever owned the outbox", out)
        self.assertRegex(out, r"since \d+ s ago .*2 of them, held by no owner")
        self.assertIn("→ makegood serve --store sqlite:shop.db", out)

    def test_names_the_circuit_and_a_command_that_can_be_copied(self):
        self.execute(ENQUEUE, ENQUEUE)
        self.write_turn(BROKEN, lease_until=FAR_FUTURE)
        out = self.succeed("status", *STORE)
        self.assertIn("The circuit of http:billing is open.", out)
        self.assertIn("held by its circuit", out)
        self.assertIn("→ makegood destinations test http:billing --store sqlite:shop.db", out)

    def test_fails_for_scripts_that_ask_it_to(self):
        self.execute(ENQUEUE)
        self.assertEqual(self.makegood("status", *STORE).returncode, 0)
        self.fail_with(1, "status", *STORE, "--check")

    def test_tells_of_a_store_that_was_never_migrated(self):
        self.execute(("CREATE TABLE other_outbox_business (id INTEGER)",))
        out = self.succeed("status", *STORE, "--outbox", "other_outbox")
        self.assertIn("→ makegood migrate --store sqlite:shop.db --outbox other_outbox", out)
        self.succeed("migrate", *STORE, "--outbox", "other_outbox")
        self.assertIn("All is well", self.succeed("status", *STORE, "--outbox", "other_outbox"))


class NoServer(StoreCase):
    def test_says_how_to_start_one(self):
        done = self.fail_with(1, "status", "--server", "http://127.0.0.1:1")
        self.assertRegex(done.stderr, r"No server answers at http://127\.0\.0\.1:1 .*makegood serve.*--store")

    def test_is_what_a_wrong_url_names(self):
        done = self.fail_with(1, "status", "--server", "127.0.0.1:7700")
        self.assertIn("write http://127.0.0.1:7700", done.stderr)

    def test_does_not_stand_beside_a_store(self):
        self.fail_with(2, "status", "--server", "http://127.0.0.1:1", *STORE)

    def test_of_the_environment_gives_way_to_a_store(self):
        self.succeed("migrate", *STORE)
        self.succeed("status", *STORE, MAKEGOOD_SERVER="http://127.0.0.1:1")
        self.fail_with(1, "status", MAKEGOOD_SERVER="http://127.0.0.1:1")


class Tokens(ServerCase):
    SERVE_VARIABLES = {"MAKEGOOD_TOKENS": "viewer vera looking-only-0123456\noperator otto may-do-all-01234567"}

    def token(self):
        self.write("viewer.token", "looking-only-0123456\n")
        return ("--token-file", "viewer.token")

    def test_are_asked_for(self):
        done = self.fail_with(1, "status", *self.server)
        self.assertIn("--token-file", done.stderr)

    def test_of_a_viewer_may_look_and_no_more(self):
        self.succeed("status", *self.server, *self.token())
        done = self.fail_with(1, "outbox", "enqueue", "order.placed", "{}", *self.server, *self.token())
        self.assertIn("may only look", done.stderr)

    def test_are_taken_from_the_environment_and_tell_who_asks(self):
        self.succeed("destinations", "add", "http:a", "--url", "http://127.0.0.1:1/", "--operator", "ann",
                     *self.server, MAKEGOOD_TOKEN="may-do-all-01234567")
        self.assertEqual(self.requests()[0][3], "otto")


if __name__ == "__main__":
    unittest.main()
