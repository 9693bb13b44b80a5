"""makegood doctor: finds the common mistakes and says how to mend each."""

import contextlib
import json
import os
import shutil
import sqlite3
import unittest

from server import ServerCase
from store import ENQUEUE, STORE, StoreCase

IS_ROOT = os.geteuid() == 0
FAR_FUTURE = 32_000_000_000_000
IDLE = {"reached": 0, "open": [], "under_way": {}, "sides": []}


class Doctor(StoreCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def found(self, *arguments, store=STORE):
        """What is not good: by check, with how to mend it."""
        done = self.makegood("doctor", "--json", *store, *arguments)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["is_ok"], done.returncode == 0)
        return {one["check"]: one for one in answer["diagnoses"] if one["state"] != "ok"}

    def own(self):
        self.write_routes(("order.*", "fn:billing"))
        self.write_turn(IDLE, lease_until=FAR_FUTURE)

    def test_finds_nothing_wrong_where_all_is_well(self):
        self.own()
        self.assertLessEqual(set(self.found("--set", "store.environment=test")), {"SQLite", "disk"})

    def test_warns_where_the_environment_has_no_name(self):
        self.assertIn("store.environment: production", self.found()["environment"]["mend"])

    def test_tells_people_with_an_arrow_what_to_do(self):
        self.execute(ENQUEUE)
        done = self.fail_with(1, "doctor", *STORE)
        self.assertRegex(done.stdout, r"wrong    owner of makegood_outbox: Nobody has owned it ever; 1 messages")
        self.assertIn("→ makegood serve --store sqlite:shop.db", done.stdout)

    def test_finds_an_old_sqlite(self):
        warning = self.makegood("version").stderr
        self.assertEqual("SQLite" in self.found(), "warning" in warning)

    def test_finds_a_file_that_is_not_there(self):
        found = self.found(store=("--store", "sqlite:none.db"))
        self.assertIn("makegood migrate --store sqlite:none.db", found["file"]["mend"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "none.db")))

    def test_finds_a_store_that_was_never_migrated(self):
        found = self.found("--outbox", "other_outbox")
        self.assertIn("makegood migrate", found["tables of other_outbox"]["mend"])

    def test_finds_a_copy(self):
        self.own()
        shutil.copy(os.path.join(self.folder, "shop.db"), os.path.join(self.folder, "copy.db"))
        found = self.found(store=("--store", "sqlite:copy.db"))
        self.assertIn("makegood adopt --store sqlite:copy.db", found["copy"]["mend"])
        self.succeed("adopt", "--store", "sqlite:copy.db")
        self.assertNotIn("copy", self.found(store=("--store", "sqlite:copy.db")))

    def test_finds_a_transaction_that_keeps_the_write_lock(self):
        self.own()
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "shop.db"), isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            self.assertIn("fuser -v shop.db", self.found()["write lock"]["mend"])
            db.execute("ROLLBACK")
        self.assertNotIn("write lock", self.found())

    def test_finds_a_topic_without_a_route(self):
        self.own()
        self.execute(("INSERT INTO makegood_outbox (topic, payload) VALUES ('mail.sent', '{}')",))
        found = self.found()["routes of makegood_outbox"]
        self.assertIn("mail.sent (1)", found["what"])
        self.assertIn("dead replay", found["mend"])

    def test_finds_clocks_that_differ(self):
        self.write_routes(("order.*", "fn:billing"))
        self.write_turn(IDLE, at=FAR_FUTURE, lease_until=FAR_FUTURE)
        self.assertIn("NTP", self.found()["clock of makegood_outbox"]["mend"])

    def test_finds_a_counter_that_was_set_back(self):
        self.write_routes(("order.*", "fn:billing"))
        self.write_turn({**IDLE, "reached": 7}, lease_until=FAR_FUTURE)
        self.assertIn("outbox rewind", self.found()["counter of makegood_outbox"]["mend"])

    @unittest.skipIf(IS_ROOT, "root may write everything")
    def test_finds_a_lane_file_and_a_folder_that_cannot_be_written(self):
        self.own()
        lane = os.path.join(self.folder, "shop.db.makegood_outbox.lane")
        with open(lane, "w", encoding="utf-8"):
            os.chmod(lane, 0o400)
        self.assertIn("chmod g+w", self.found()["lane file"]["mend"])
        os.chmod(self.folder, 0o500)
        self.addCleanup(os.chmod, self.folder, 0o700)
        self.assertIn("permissions", self.found())

    @unittest.skipUnless(IS_ROOT, "only root may give files away")
    def test_finds_files_that_another_user_left_behind(self):
        self.own()
        lane = os.path.join(self.folder, "shop.db.makegood_outbox.lane")
        with open(lane, "w", encoding="utf-8"):
            os.chown(lane, 12345, 12345)
        self.assertIn("chown --reference=shop.db", self.found()["owner"]["mend"])


class OfAServer(ServerCase):
    def test_looks_at_its_status(self):
        self.assertIn("ok       server: It answers", self.succeed("doctor", *self.server))


if __name__ == "__main__":
    unittest.main()
