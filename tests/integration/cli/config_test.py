"""makegood config check, show and watch."""

import json
import os
import signal
import subprocess
import unittest

from program import PROGRAM, ProgramCase, clean_environment


class ConfigCheck(ProgramCase):
    def test_is_content_without_a_file(self):
        self.assertEqual(self.succeed("config", "check"), "no file: 0 mistakes, 0 warnings\n")

    def test_tells_all_mistakes_at_once(self):
        self.write("makegood.yaml", "tx:\n  outbox:\n    bacth: 1\n    ordering: strict\nlog.level: loud\n")
        done = self.fail_with(3, "config", "check", OUTBOX_RELAY_LOCK_TTL="60")
        self.assertEqual(done.stdout.splitlines(), [
            "mistake: makegood.yaml:3: tx.outbox.bacth is not a known key; is it tx.outbox.batch?",
            "mistake: makegood.yaml:4: tx.outbox.ordering 'strict' is not one of the choices; "
            "allowed: block, skip or block_on_dead",
            "mistake: makegood.yaml:5: log.level 'loud' is not one of the choices; "
            "allowed: debug, info, warn, error or critical",
            "mistake: environment OUTBOX_RELAY_LOCK_TTL: tx.outbox.lease_ms '60' is not a duration; "
            "allowed: 1000 to 300000, in milliseconds or with a unit as in 30s",
            "makegood.yaml: 4 mistakes, 0 warnings"])

    def test_warns_and_still_succeeds(self):
        out = self.succeed("config", "check", "--set", "tx.outbox.window=10")
        self.assertIn("warning: flag --set: tx.outbox.window '10' is below tx.outbox.batch", out)

    def test_says_that_a_file_is_missing(self):
        done = self.fail_with(3, "config", "check", "--config", "other.yaml")
        self.assertIn("other.yaml: cannot be read: No such file or directory", done.stdout)

    def test_escapes_what_a_terminal_would_obey(self):
        done = self.fail_with(3, "config", "check", "--set", "log.level=\x1b[31m")
        self.assertIn("'\\x1b[31m'", done.stdout)
        self.assertNotIn("\x1b", done.stdout)


class ConfigShow(ProgramCase):
    def origins(self, *arguments, **variables):
        shown = json.loads(self.succeed("config", "show", "--json", *arguments, **variables))
        return {entry["key"]: (entry["value"], entry["from"]) for entry in shown}

    def test_tells_where_each_value_comes_from(self):
        self.write("my.yaml", "\ntx.outbox.batch: 7\n")
        shown = self.origins("--config", "my.yaml", "--set", "log.level=debug", OUTBOX_CLEANER_INTERVAL="2m")
        self.assertEqual(shown["tx.outbox.batch"], ("7", "my.yaml:2"))
        self.assertEqual(shown["log.level"], ("debug", "flag --set"))
        self.assertEqual(shown["cleaner.interval"], ("2m", "environment OUTBOX_CLEANER_INTERVAL"))
        self.assertEqual(shown["tx.outbox.window"], ("2000", "default"))

    def test_masks_user_and_password(self):
        out = self.succeed("config", "show", MAKEGOOD_STORE_URL="postgres://ann:pass4711@db/shop")
        self.assertIn("postgres://***@db/shop", out)
        self.assertNotIn("pass4711", out)

    def test_is_an_aligned_table(self):
        lines = self.succeed("config", "show").splitlines()
        self.assertEqual(lines[0].split(), ["KEY", "VALUE", "FROM"])
        column = lines[0].index("FROM")
        self.assertTrue(all(line[column:] == "default" for line in lines[1:]), lines)

    def test_refuses_mistakes_with_the_exit_code_of_the_configuration(self):
        done = self.fail_with(3, "config", "show", "--set", "tx.outbox.batch=0")
        self.assertEqual(done.stderr.splitlines(), [
            "makegood: The configuration has one mistake; correct it and try again. [CONFIG.INVALID]",
            "  flag --set: tx.outbox.batch '0' is out of range; allowed: 1 to 10000"])

    def test_refuses_a_setting_without_a_value(self):
        done = self.fail_with(1, "config", "show", "--set", "tx.outbox.batch")
        self.assertIn("KEY=VALUE", done.stderr)


class ConfigWatch(ProgramCase):
    def setUp(self):
        super().setUp()
        self.write("makegood.yaml", "tx.outbox.batch: 10\n")
        self.watch = subprocess.Popen([PROGRAM, "config", "watch"], cwd=self.folder, env=clean_environment(),
                                      stdout=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(self.watch.stdout.close)
        self.addCleanup(self.watch.wait)
        self.addCleanup(self.watch.kill)
        self.assertEqual(self.watch.stdout.readline(), "watching makegood.yaml\n")

    def replace(self, text):
        self.write("new.yaml", text)
        os.rename(os.path.join(self.folder, "new.yaml"), os.path.join(self.folder, "makegood.yaml"))

    def read_reload(self):
        lines = []
        while not lines or not lines[-1].startswith("reloaded:"):
            line = self.watch.stdout.readline()
            self.assertNotEqual(line, "", "the watch has ended")
            lines.append(line.rstrip("\n"))
        return lines

    def test_takes_over_a_change_of_the_file(self):
        self.replace("tx.outbox: {batch: 20, lease_ms: 5000}\n")
        self.assertEqual(self.read_reload(), ["changed: tx.outbox.batch from 10 to 20",
                                              "needs a restart: tx.outbox.lease_ms from 10000 to 5000",
                                              "reloaded: 1 changed, 0 mistakes"])

    def test_changes_nothing_when_the_new_file_is_wrong(self):
        self.replace("tx.outbox: {batch: 0}\n")
        self.assertEqual(self.read_reload(), [
            "mistake: makegood.yaml:1: tx.outbox.batch '0' is out of range; allowed: 1 to 10000", "nothing was changed",
            "reloaded: 0 changed, 1 mistakes"])

    def test_reads_again_at_sighup(self):
        self.watch.send_signal(signal.SIGHUP)
        self.assertEqual(self.read_reload(), ["reloaded: 0 changed, 0 mistakes"])


if __name__ == "__main__":
    unittest.main()
