"""makegood migrate, adopt, requests, version and the programs beside it, on a real SQLite file."""

import json
import os
import pwd
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, ProgramCase, clean_environment
from store import AT_ONCE, ENQUEUE, STORE, WHO, StoreCase


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


class Requests(ProgramCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def test_are_recorded_and_can_be_asked_for(self):
        out = self.succeed("outbox", "rewind", *STORE, *WHO)
        self.assertRegex(out, r"^0 messages ")
        request = re.search(r"Request (\d+) is recorded\.", out).group(1)
        result, asked, who, why = self.succeed("outbox", "answer", request, *STORE).splitlines()
        self.assertEqual(result, "open: no owner has carried it out yet")
        self.assertRegex(asked, r"asked +rewind, \d+ s ago")
        self.assertEqual((who.split(), why.split()), (["by", "ann"], ["because", "a", "try"]))
        self.assertEqual(json.loads(self.succeed("outbox", "answer", request, *STORE, "--json"))["operator"], "ann")

    def test_want_a_reason_for_a_rewind(self):
        self.assertIn("--reason", self.fail_with(2, "outbox", "rewind", *STORE, "--operator", "ann").stderr)

    def test_are_made_by_whoever_is_logged_in(self):
        for who, variables in (("zoe", {"USER": "zoe"}), (pwd.getpwuid(os.geteuid()).pw_name, {})):
            out = self.succeed("outbox", "rewind", *STORE, *AT_ONCE, "--reason", "x", **variables)
            answer = self.succeed("outbox", "answer", re.search(r"Request (\d+)", out).group(1), *STORE, "--json")
            self.assertEqual(json.loads(answer)["operator"], who)

    def test_that_were_never_made_are_not_found(self):
        self.assertIn("[REQUEST.NOT_FOUND]", self.fail_with(1, "outbox", "answer", "7", *STORE).stderr)


class Programs(ProgramCase):
    def test_that_are_not_beside_this_one_are_told_how_to_build(self):
        lonely = os.path.join(self.folder, "makegood")
        shutil.copy(PROGRAM, lonely)
        for verb in ("bench", "sim"):
            done = subprocess.run([lonely, verb], cwd=self.folder, env=clean_environment(), capture_output=True,
                                  encoding="utf-8", timeout=60, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"makegood-{verb} is not beside this program .*--target makegood-{verb}")

    def test_that_are_beside_this_one_get_the_arguments(self):
        lonely = os.path.join(self.folder, "makegood")
        shutil.copy(PROGRAM, lonely)
        self.write("makegood-bench", "#!/bin/sh\necho \"$@\"\nexit 7\n")
        os.chmod(os.path.join(self.folder, "makegood-bench"), 0o755)
        done = subprocess.run([lonely, "bench", "enqueue", "--seconds", "1"], cwd=self.folder, check=False,
                              env=clean_environment(), capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual((done.returncode, done.stdout), (7, "enqueue --seconds 1\n"))


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

    def test_a_typo_is_told_what_was_meant(self):
        for words, meant in ((("statsu",), "status"), (("outbox", "lsit"), "list"),
                             (("dead", "replay", "--al"), "--all"), (("outbox", "list", "--topci", "a"), "--topic"),
                             (("config", "check", "--cofnig=x"), "--config")):
            self.assertIn(f"did you mean '{meant}'?", self.fail_with(2, *words).stderr)
        self.assertIn("did you mean sqlite:?", self.fail_with(1, "migrate", "--store", "sqlit:x").stderr)


if __name__ == "__main__":
    unittest.main()
