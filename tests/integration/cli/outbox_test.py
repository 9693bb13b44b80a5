"""makegood migrate, adopt, outbox and version on a real SQLite file."""

import json
import os
import re
import unittest

from program import ProgramCase
from store import ENQUEUE, STORE, WHO, StoreCase


class Migrate(StoreCase):
    def tables(self):
        return {name for (name,) in self.execute(("SELECT name FROM sqlite_master WHERE type = 'table'",))}

    def test_creates_the_tables_of_every_outbox(self):
        out = self.succeed("migrate", *STORE, "--outbox", "a_outbox", "--outbox", "b_outbox")
        self.assertEqual(out, "a_outbox: the tables are up to date\nb_outbox: the tables are up to date\n")
        self.assertLessEqual({"a_outbox", "b_outbox"}, self.tables())

    def test_prints_a_script_and_changes_nothing(self):
        self.assertIn("CREATE TABLE", self.succeed("migrate", *STORE, "--print").upper())
        self.assertFalse(os.path.exists(os.path.join(self.folder, "shop.db")))

    def test_goes_down_only_when_it_is_confirmed(self):
        self.succeed("migrate", *STORE)
        self.assertIn("--yes", self.fail_with(1, "migrate", *STORE, "--down").stderr)
        self.assertIn("makegood_outbox", self.tables())
        self.succeed("migrate", *STORE, "--down", "--yes")
        self.assertNotIn("makegood_outbox", self.tables())

    def test_does_not_go_down_over_undelivered_messages(self):
        self.succeed("migrate", *STORE)
        self.execute(ENQUEUE)
        self.fail_with(1, "migrate", *STORE, "--down", "--yes")
        self.assertIn("makegood_outbox", self.tables())
        self.succeed("migrate", *STORE, "--down", "--even-if-pending", "--yes")
        self.assertNotIn("makegood_outbox", self.tables())

    def test_tells_what_is_wrong_with_a_url(self):
        done = self.fail_with(1, "migrate", "--store", "nosuch:thing")
        self.assertRegex(done.stderr, r"^makegood: .*nosuch:thing.*\. \[REQUEST\.INVALID\]\n$")


class Outbox(ProgramCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def test_lists_nothing_when_nothing_is_dead(self):
        self.assertEqual(self.succeed("outbox", "dead", *STORE).split()[:2], ["SEQUENCE", "DESTINATION"])
        self.assertEqual(json.loads(self.succeed("outbox", "dead", *STORE, "--json")), [])
        self.assertEqual(json.loads(self.succeed("outbox", "blocked", *STORE, "--json")), [])

    def test_records_a_rewind_and_tells_what_became_of_it(self):
        out = self.succeed("outbox", "rewind", *STORE, *WHO)
        request = re.match(r"Request (\d+) is recorded\.", out).group(1)
        self.assertEqual(self.succeed("outbox", "answer", request, *STORE), "open: no owner has carried it out yet\n")

    def test_wants_an_operator_and_a_reason_for_a_rewind(self):
        self.assertIn("--reason", self.fail_with(2, "outbox", "rewind", *STORE, "--operator", "ann").stderr)
        self.assertIn("--operator", self.fail_with(2, "outbox", "rewind", *STORE, "--reason", "x").stderr)

    def test_refuses_to_replay_what_is_not_there(self):
        done = self.fail_with(1, "outbox", "replay", "7", "fn:billing", *STORE, *WHO)
        self.assertIn("[REQUEST.NOT_FOUND]", done.stderr)

    def test_wants_one_outbox_when_several_are_configured(self):
        done = self.fail_with(1, "outbox", "dead", *STORE, OUTBOX_RELAY_TABLES="a_outbox,b_outbox")
        self.assertIn("name one with --outbox", done.stderr)


class DeadLetters(StoreCase):
    """The dead letter is a row as the owner of the lane would have written it."""

    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def kill(self, last_error):
        self.execute(ENQUEUE, ("""
            INSERT INTO makegood_outbox_parked (sequence, destination, tenant_id, dispatch_key, slot, state, blocks,
              attempts, due_at, error_code, last_error, story, parked_at, changed_at)
            VALUES (1, 'fn:billing', 'default', '', 0, 'dead', 0, 12, 0, 'TX.TIMEOUT', ?, '[]', 0, 0)
            """, (last_error,)))

    def test_are_listed_with_code_attempts_and_last_error(self):
        self.kill("no answer")
        row = self.succeed("outbox", "dead", *STORE).splitlines()[1]
        for text in ("1", "fn:billing", "order.placed", "12", "TX.TIMEOUT", "no answer"):
            self.assertIn(text, row)
        letter, = json.loads(self.succeed("outbox", "dead", *STORE, "--json"))
        self.assertEqual((letter["sequence"], letter["attempts"], letter["error_code"], letter["last_error"]),
                         (1, 12, "TX.TIMEOUT", "no answer"))

    def test_cannot_steer_the_terminal(self):
        self.kill("\x1b[2J\nall is well")
        out = self.succeed("outbox", "dead", *STORE)
        self.assertIn("\\x1b[2J\\x0aall is well", out)
        self.assertNotIn("\x1b", out)

    def test_reach_programs_unchanged(self):
        for last_error in ("\x1b[2J\nall is well", 'a "quote" and a \\', "Größe"):
            with self.subTest(last_error):
                self.execute(("DELETE FROM makegood_outbox_parked",))
                self.kill(last_error)
                out = self.succeed("outbox", "dead", *STORE, "--json")
                self.assertNotIn("\x1b", out)
                self.assertEqual(json.loads(out)[0]["last_error"], last_error)

    def test_can_be_replayed_quarantined_released_and_unblocked(self):
        self.kill("no answer")
        for verb in ("replay", "quarantine", "release", "unblock"):
            out = self.succeed("outbox", verb, "1", "fn:billing", *STORE, *WHO)
            self.assertRegex(out, r"^Request \d+ is recorded\. With its next turn the owner of the lane ")


class Others(ProgramCase):
    def test_adopt_says_what_it_means(self):
        self.succeed("migrate", *STORE)
        self.assertIn("sqlite:shop.db is adopted", self.succeed("adopt", *STORE))

    def test_version_names_both_versions(self):
        done = self.makegood("version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^makegood \d+\.\d+\.\d+\nSQLite \d+\.\d+\.\d+\n$")

    def test_wrong_usage_has_its_own_exit_code(self):
        self.fail_with(2)
        self.fail_with(2, "nonsense")
        self.fail_with(2, "config", "check", "--nonsense")
        self.fail_with(2, "migrate", "--yes")


if __name__ == "__main__":
    unittest.main()
