"""makegood dead: lists, groups, stories, replays, quarantine and notes."""

import json
import os
import pty
import subprocess
import unittest

from program import PROGRAM, clean_environment
from server import ServerCase
from store import AT_ONCE, STORE, WHO, StoreCase


class DeadCase(StoreCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)


class Lists(DeadCase):
    def test_are_empty_when_nothing_is_dead(self):
        self.assertEqual(self.succeed("dead", "list", *STORE).split()[:2], ["SEQUENCE", "DESTINATION"])
        self.assertEqual(self.json("dead", "list", *STORE), {"items": [], "next": None})
        self.assertEqual(self.json("dead", "groups", *STORE)["items"], [])

    def test_have_code_attempts_and_last_error(self):
        self.kill("no answer")
        row = self.succeed("dead", "list", *STORE).splitlines()[1]
        for text in ("1", "fn:billing", "order.placed", "12", "TX.TIMEOUT", "no answer"):
            self.assertIn(text, row)
        letter, = self.json("dead", "list", *STORE)["items"]
        self.assertEqual((letter["sequence"], letter["attempts"], letter["error_code"], letter["last_error"]),
                         (1, 12, "TX.TIMEOUT", "no answer"))

    def test_cannot_steer_the_terminal(self):
        self.kill("\x1b[2J\nall is well")
        for verb in (("dead", "list"), ("dead", "groups"), ("dead", "show", "1", "fn:billing")):
            with self.subTest(verb):
                out = self.succeed(*verb, *STORE)
                self.assertIn("\\x1b[2J\\x0aall is well", out)
                self.assertNotIn("\x1b", out)

    def test_reach_programs_unchanged(self):
        for last_error in ("\x1b[2J\nall is well", 'a "quote" and a \\', "Größe"):
            with self.subTest(last_error):
                self.execute(("DELETE FROM makegood_outbox_parked",))
                self.kill(last_error)
                out = self.succeed("dead", "list", *STORE, "--json")
                self.assertNotIn("\x1b", out)
                self.assertEqual(json.loads(out)["items"][0]["last_error"], last_error)

    def test_are_narrowed_and_go_on_with_a_cursor(self):
        for number in range(1, 4):
            self.kill(sequence=number, destination="fn:mail" if number == 2 else "fn:billing")
        found = self.json("dead", "list", "--destination", "fn:mail", *STORE)["items"]
        self.assertEqual([letter["sequence"] for letter in found], [2])
        out = self.succeed("dead", "list", "--limit", "2", *STORE)
        cursor = out.split("--cursor '")[1].split("'")[0]
        self.assertEqual(self.json("dead", "list", "--cursor", cursor, *STORE)["items"][0]["sequence"], 3)

    def test_are_grouped_with_an_example(self):
        self.kill("first", sequence=1)
        self.kill("second", sequence=2)
        row = self.succeed("dead", "groups", *STORE).splitlines()[1]
        self.assertRegex(row, r"^2 +order.placed +fn:billing +TX.TIMEOUT ")

    def test_want_one_outbox_when_several_are_configured(self):
        done = self.fail_with(1, "dead", "list", *STORE, OUTBOX_RELAY_TABLES="a_outbox,b_outbox")
        self.assertIn("name one with --outbox", done.stderr)


class Requests(DeadCase):
    def test_about_one_are_recorded_with_operator_and_reason(self):
        self.kill()
        for verb in ("replay", "quarantine", "release"):
            with self.subTest(verb):
                out = self.succeed("dead", verb, "1", "fn:billing", *STORE, *WHO)
                self.assertRegex(out, r"^Request \d+ is recorded\. With its next turn the owner of the lane ")
                self.assertEqual(self.requests()[-1], (verb, 1, "fn:billing", "ann", "a try"))

    def test_about_what_is_not_there_are_refused(self):
        done = self.fail_with(1, "dead", "replay", "7", "fn:billing", *STORE, *WHO)
        self.assertIn("[REQUEST.NOT_FOUND]", done.stderr)
        self.assertEqual(self.requests(), [])

    def test_leave_a_note(self):
        self.kill()
        self.succeed("dead", "annotate", "1", "fn:billing", "ask billing first", "--operator", "ann", *AT_ONCE, *STORE)
        self.assertIn("ask billing first", self.succeed("dead", "show", "1", "fn:billing", *STORE))


class ReplayByFilter(DeadCase):
    def setUp(self):
        super().setUp()
        for number in range(1, 6):
            self.kill(sequence=number, destination="fn:mail" if number == 2 else "fn:billing")

    def test_counts_first(self):
        out = self.succeed("dead", "replay", "--destination", "fn:billing", "--dry-run", *STORE, *WHO)
        self.assertEqual(out, "4 dead letters match.\n")
        self.assertEqual(self.json("dead", "replay", "--all", "--dry-run", *STORE, *WHO), {"count": 5})
        self.assertEqual(self.requests(), [])

    def test_asks_for_each_of_them_even_when_nobody_answers(self):
        refused = self.fail_with(1, "dead", "replay", "--destination", "fn:billing", *STORE, *WHO)
        self.assertIn("say --yes", refused.stderr)
        out = self.succeed("dead", "replay", "--destination", "fn:billing", "--yes", *STORE, *WHO)
        self.assertIn("4 dead letters match.\n0 of 4 are sent again.\n4 are asked for", out)
        self.assertEqual([sequence for _, sequence, _, _, _ in self.requests()], [1, 3, 4, 5])

    def test_shows_on_a_terminal_how_far_it_is(self):
        ours, theirs = pty.openpty()
        subprocess.run([PROGRAM, "dead", "replay", "--all", "--yes", *STORE, *WHO], cwd=self.folder,
                       stdout=subprocess.DEVNULL,
                       stdin=subprocess.DEVNULL, stderr=theirs, env=clean_environment(), timeout=60, check=True)
        os.close(theirs)
        self.assertRegex(os.read(ours, 4096).decode(), r"replay \[\.{30}\] 0 of 5")
        os.close(ours)

    def test_keeps_to_its_limit(self):
        job = self.json("dead", "replay", "--all", "--limit", "2", "--rate", "1000", "--yes", *STORE, *WHO)
        self.assertEqual((job["total"], job["asked"], len(self.requests())), (2, 2, 2))

    def test_wants_one_or_a_filter_and_not_both(self):
        for arguments in ((), ("1", "fn:billing", "--all")):
            done = self.fail_with(1, "dead", "replay", *arguments, *STORE, *WHO)
            self.assertIn("--all", done.stderr)
        self.assertEqual(self.requests(), [])


class OnAServer(ServerCase):
    def test_dead_letters_are_sent_again_when_the_cause_is_gone(self):
        endpoint = self.endpoint(status=400)
        self.succeed("destinations", "add", "http:in", "--url", endpoint.url, "--route", "order.*", *WHO, *self.server)
        for number in range(20):
            self.succeed("outbox", "enqueue", "order.placed", f'{{"order":{number}}}', *self.server)
        self.await_that(lambda: len(self.json("dead", "list", *self.server)["items"]) == 20)
        endpoint.status = 200
        out = self.succeed("dead", "replay", "1", "http:in", *WHO, *self.server)
        self.assertRegex(out, r"^Request \d+ is done: the owner of the lane sends the message again")
        out = self.succeed("dead", "replay", "--destination", "http:in", "--operator", "ann", "--yes",
                           *self.server)
        self.assertIn("are sent again.\n", out)
        self.assertNotIn("no owner has carried", out)
        self.await_that(lambda: not self.json("dead", "list", *self.server)["items"])


if __name__ == "__main__":
    unittest.main()
