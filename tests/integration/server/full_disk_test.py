"""A SQLite disk that is full: status and readiness say so, and why; with room again all goes on."""

import ctypes
import os
import sys
import unittest

from daemon import DaemonCase

SKIPPED = 77
CLONE_NEWNS = 0x00020000
MEBIBYTES = 4


def skip(reason):
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIPPED)


def require_mounts():
    """From here on this process and its children see their own mounts."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or libc.unshare(CLONE_NEWNS) != 0:
        skip("only root can mount a small disk")
    if os.system("mount --make-rprivate /") != 0:
        skip("the root folder is no mount of its own here, as in a chroot, so a small disk would be seen by all")


class FullDisk(DaemonCase):
    def setUp(self):
        super().setUp()
        self.disk = self.path("disk")
        os.mkdir(self.disk)
        self.assertEqual(os.system(f"mount -t tmpfs -o size={MEBIBYTES}m tmpfs {self.disk}"), 0)
        self.addCleanup(os.system, f"umount --lazy {self.disk}")

    def fill(self):
        with open(os.path.join(self.disk, "ballast"), "ab", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(b"x" * 4096)
            except OSError:
                pass

    def troubles(self, daemon):
        return {trouble["code"]: trouble for trouble in daemon.ask("GET", "/api/status").json()["troubles"]}

    def test_is_told_by_status_and_readiness_until_there_is_room(self):
        daemon = self.start_ready(store="sqlite:disk/shop.db")
        self.route_to(daemon, self.receiver())
        self.fill()
        self.await_(lambda: daemon.enqueue().status != 201, "the disk is full for producers")
        self.await_(lambda: "STORAGE.FULL" in self.troubles(daemon), "status tells")
        trouble = self.troubles(daemon)["STORAGE.FULL"]
        self.assertEqual(trouble["severity"], "critical")
        self.assertIn("The disk is full; make room", trouble["what"])
        self.assertFalse(daemon.ask("GET", "/api/status").json()["is_ok"])
        self.await_(lambda: "STORAGE.FULL" in daemon.ask("GET", "/readyz").body.decode(), "readiness tells")
        told = self.run_advice(trouble, exits=(1,))
        self.assertRegex(told, "wrong    disk: .* free where disk/shop.db is.\n +→ Make room")
        os.remove(os.path.join(self.disk, "ballast"))
        self.await_(lambda: daemon.ask("GET", "/readyz").status == 200, "it is ready again")
        self.await_(lambda: self.troubles(daemon) == {}, "status is well again")
        self.assertEqual(daemon.enqueue().status, 201)


if __name__ == "__main__":
    require_mounts()
    unittest.main()
