"""A copy of a database file sends nothing until it is adopted; the same file goes on, whatever is mounted around it.

On real file systems, in a mount namespace of this test's own. Without root what needs them is skipped."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import unittest

from daemon import PROGRAM, DaemonCase, clean_environment

OWN_MOUNTS = "MAKEGOOD_TEST_HAS_OWN_MOUNTS"
CAN_MOUNT = OWN_MOUNTS in os.environ
PRODUCTION, STAGING = ({"MAKEGOOD_STORE_ENVIRONMENT": name} for name in ("production", "staging"))


def with_own_mounts():
    """Begins this program anew where its mounts are nobody else's, and vanish with it."""
    alone = ["unshare", "--mount", "--propagation", "private"]
    if CAN_MOUNT or os.geteuid() != 0 or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        return
    os.environ[OWN_MOUNTS] = "yes"
    os.execvp(alone[0], [*alone, sys.executable, "-B", *sys.argv])


def inode(path):
    return os.stat(path).st_ino


class CopyCase(DaemonCase):
    def setUp(self):
        super().setUp()
        self.inbox = self.receiver()

    def deliver_one_and_leave_one(self, file, **environment):
        """A file that has been in use: a route, a message that was sent, and one that was not."""
        daemon = self.start_ready(store=f"sqlite:{file}", **environment)
        self.route_to(daemon, self.inbox)
        self.assertEqual(daemon.enqueue(event_id="e-1").status, 201)
        self.await_(lambda: self.arrived() == ["e-1"], "it arrives")
        self.assertEqual(daemon.end()[0], 0)
        with contextlib.closing(sqlite3.connect(self.path(file), isolation_level=None)) as db:
            db.execute("INSERT INTO makegood_outbox (topic, event_id, payload) VALUES ('order.placed', 'e-2', '{}')")

    def arrived(self):
        return [event for event, _ in list(self.inbox.bodies)]

    def expect_nothing(self, file, **environment):
        daemon = self.start(store=f"sqlite:{file}", **environment)
        self.await_(lambda: "STORAGE.FOREIGN" in daemon.ask("GET", "/readyz").body.decode(), "it says why it is idle")
        self.assertEqual(self.arrived(), ["e-1"])
        self.assertEqual(daemon.end()[0], 0)
        self.assertEqual(self.diagnosis(file, **environment)["state"], "wrong")

    def expect_going_on(self, file, **environment):
        daemon = self.start_ready(store=f"sqlite:{file}", **environment)
        self.await_(lambda: sorted(self.arrived()) == ["e-1", "e-2"], "the rest arrives")
        self.assertEqual(daemon.end()[0], 0)
        self.assertEqual(self.diagnosis(file, **environment)["state"], "ok")

    def expect_nothing_until_adopted(self, file):
        self.expect_nothing(file)
        self.assertEqual(self.run_makegood("adopt", "--store", f"sqlite:{file}").returncode, 0)
        self.expect_going_on(file)

    def run_makegood(self, *arguments, **environment):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=clean_environment(**environment), timeout=60,
                              capture_output=True, text=True, check=False)

    def diagnosis(self, file, **environment):
        done = self.run_makegood("doctor", "--json", "--store", f"sqlite:{file}", **environment)
        return {one["check"]: one for one in json.loads(done.stdout)["diagnoses"]}["copy"]

    def back_up(self, file, to):
        """As `.backup` of the sqlite3 shell does it."""
        with contextlib.closing(sqlite3.connect(self.path(file))) as source, \
                contextlib.closing(sqlite3.connect(self.path(to))) as target:
            source.backup(target)


class Copies(CopyCase):
    def test_by_backup_send_nothing_until_they_are_adopted(self):
        self.deliver_one_and_leave_one("shop.db")
        self.back_up("shop.db", "copy.db")
        self.expect_nothing_until_adopted("copy.db")

    def test_restored_in_the_place_of_the_original_send_nothing_until_they_are_adopted(self):
        self.deliver_one_and_leave_one("shop.db")
        self.back_up("shop.db", "backup.db")
        for left in ("shop.db", "shop.db-wal", "shop.db-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.path(left))
        shutil.copy(self.path("backup.db"), self.path("shop.db"))
        self.expect_nothing_until_adopted("shop.db")

    def test_restored_in_the_same_environment_go_on_and_in_another_one_do_not(self):
        """As Litestream and the like do it when a machine starts."""
        self.deliver_one_and_leave_one("shop.db", **PRODUCTION)
        self.back_up("shop.db", "restored.db")
        os.remove(self.path("shop.db"))
        self.expect_nothing("restored.db", **STAGING)
        self.expect_nothing("restored.db")
        self.expect_going_on("restored.db", **PRODUCTION)

    def test_are_told_by_doctor_with_what_was_compared(self):
        self.deliver_one_and_leave_one("shop.db")
        self.back_up("shop.db", "copy.db")
        told = self.diagnosis("copy.db")["what"]
        self.assertIn(f"inode {inode(self.path('copy.db'))} here and {inode(self.path('shop.db'))} recorded", told)
        self.assertIn("warning  environment: store.environment is not set",
                      self.run_makegood("doctor", "--store", "sqlite:copy.db").stdout)


class Originals(CopyCase):
    def test_go_on_after_a_move_within_the_file_system(self):
        self.deliver_one_and_leave_one("shop.db")
        for left in ("shop.db-wal", "shop.db-shm", "shop.db"):
            if os.path.exists(self.path(left)):
                os.rename(self.path(left), self.path(left.replace("shop", "moved")))
        self.expect_going_on("moved.db")

    def test_of_an_older_version_go_on_and_their_record_is_completed(self):
        self.deliver_one_and_leave_one("shop.db")
        with contextlib.closing(sqlite3.connect(self.path("shop.db"), isolation_level=None)) as db:
            db.execute("DELETE FROM makegood_store_traits")
            self.expect_going_on("shop.db", **PRODUCTION)
            self.assertEqual(db.execute("SELECT environment FROM makegood_store_traits").fetchall(), [("production",)])


@unittest.skipUnless(CAN_MOUNT, "only root may mount file systems")
class OnVolumes(CopyCase):
    def mount(self, name, *how):
        os.makedirs(self.path(name), exist_ok=True)
        subprocess.run(["mount", *how, self.path(name)], check=True, timeout=60)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.path(name)], check=False, timeout=60,
                        capture_output=True)

    def unmount(self, name):
        subprocess.run(["umount", self.path(name)], check=True, timeout=60)

    def fresh_volume(self, name, at):
        image = self.path(f"{name}.ext4")
        with open(image, "wb") as file:
            file.truncate(32 << 20)
        subprocess.run(["mkfs.ext4", "-q", image], check=True, timeout=60)
        self.mount(at, "-o", "loop", image)

    def test_a_copy_on_another_fresh_volume_sends_nothing_though_its_inode_is_the_same(self):
        self.fresh_volume("first", at="a")
        self.fresh_volume("second", at="b")
        self.deliver_one_and_leave_one("a/shop.db")
        shutil.copy(self.path("a/shop.db"), self.path("b/shop.db"))
        self.assertEqual(inode(self.path("a/shop.db")), inode(self.path("b/shop.db")))
        self.expect_nothing_until_adopted("b/shop.db")

    def test_a_container_with_a_copied_file_at_the_same_path_sends_nothing(self):
        self.fresh_volume("first", at="data")
        self.deliver_one_and_leave_one("data/shop.db")
        shutil.copy(self.path("data/shop.db"), self.path("carried.db"))
        self.unmount("data")
        self.fresh_volume("second", at="data")
        shutil.copy(self.path("carried.db"), self.path("data/shop.db"))
        self.expect_nothing("data/shop.db")
        self.unmount("data")
        self.mount("data", "-o", "loop", self.path("first.ext4"))
        self.expect_going_on("data/shop.db")

    def overlay(self, *layers):
        """A container: an image below, its own layer above."""
        image, own, work = (self.path(layer) for layer in layers)
        os.makedirs(own, exist_ok=True)
        os.makedirs(work, exist_ok=True)
        self.mount("container", "-t", "overlay", "overlay", "-o", f"lowerdir={image},upperdir={own},workdir={work}")

    def test_a_file_of_an_image_is_a_copy_in_each_container_and_stays_itself_when_it_was_adopted(self):
        self.mount("layers", "-t", "tmpfs", "none")  # Overlays of overlays are not for every kernel.
        os.mkdir(self.path("layers/image"))
        self.deliver_one_and_leave_one("layers/image/shop.db")
        self.overlay("layers/image", "layers/own", "layers/work")
        self.expect_nothing("container/shop.db")
        self.assertEqual(self.run_makegood("adopt", "--store", "sqlite:container/shop.db").returncode, 0)
        self.unmount("container")
        self.overlay("layers/image", "layers/own", "layers/work")
        self.expect_going_on("container/shop.db")

    def test_a_file_that_a_container_has_made_stays_itself_when_the_container_starts_again(self):
        self.mount("layers", "-t", "tmpfs", "none")
        os.mkdir(self.path("layers/image"))
        self.overlay("layers/image", "layers/own", "layers/work")
        self.deliver_one_and_leave_one("container/shop.db")
        self.unmount("container")
        self.overlay("layers/image", "layers/own", "layers/work")
        self.expect_going_on("container/shop.db")

    def test_a_file_system_without_birth_times_compares_what_it_has(self):
        self.mount("ram", "-t", "ramfs", "none")
        self.deliver_one_and_leave_one("ram/shop.db")
        with contextlib.closing(sqlite3.connect(self.path("ram/shop.db"))) as db:
            self.assertEqual(db.execute("SELECT birth FROM makegood_store_traits").fetchall(), [(None,)])
        self.back_up("ram/shop.db", "ram/copy.db")
        self.expect_nothing("ram/copy.db")
        self.expect_going_on("ram/shop.db")


if __name__ == "__main__":
    with_own_mounts()
    unittest.main()
