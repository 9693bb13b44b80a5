"""A disk that is small enough to be filled, in a mount namespace that ends with its processes."""

import ctypes
import os
import sys

from place import SKIPPED

CLONE_NEWNS = 0x00020000
BLOCK = b"x" * 4096


def require_small_disks():
    """From here on this process and its children see their own mounts. Ends the process as skipped when it may not."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or libc.unshare(CLONE_NEWNS) != 0:
        skip("only root can mount a small disk")
    if os.system("mount --make-rprivate /") != 0:
        skip("the root folder is no mount of its own here, as in a chroot, so a small disk would be seen by all")


def skip(reason):
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIPPED)


def run(command):
    if os.system(command) != 0:
        raise OSError(command)


class SmallDisk:
    def __init__(self, folder, mebibytes):
        self.folder = folder
        self.ballast = os.path.join(folder, "ballast")
        os.makedirs(folder, exist_ok=True)
        run(f"mount -t tmpfs -o size={mebibytes}m,mode=0777 tmpfs {folder}")

    def fill(self):
        with open(self.ballast, "ab", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(BLOCK)
            except OSError:
                pass

    def free(self):
        os.remove(self.ballast)

    def remove(self):
        run(f"umount --lazy {self.folder}")
