"""I12: a standby may lag behind, so keys are neither claimed nor looked up there."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("MAKEGOOD_PROGRAM", "makegood")
SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support", "postgres_server.py")


def server(verb, *arguments):
    return subprocess.run([sys.executable, SERVER, verb, *arguments], check=True, capture_output=True, text=True,
                          timeout=60).stdout.strip()


class StandbyTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="makegood-pg-", dir="/tmp")  # Where its user may get to.
        os.chmod(self.folder, 0o755)  # The server runs as somebody else.
        self.addCleanup(shutil.rmtree, self.folder, True)

    def start(self, verb, name, *of):
        folder = os.path.join(self.folder, name)
        url = server(verb, folder, *of)
        self.addCleanup(server, "remove", folder)
        return url

    def test_a_standby_is_refused(self):
        primary = self.start("start", "primary")
        subprocess.run([PROGRAM, "migrate", "--idempotency", "--store", primary], check=True, capture_output=True)
        standby = self.start("replica", "standby", os.path.join(self.folder, "primary"))
        for url, code in ((primary, 0), (standby, 1)):
            asked = subprocess.run([PROGRAM, "idempotency", "list", "--store", url], capture_output=True, text=True)
            self.assertEqual(asked.returncode, code, asked.stderr)
        self.assertIn("standby", asked.stderr)


if __name__ == "__main__":
    unittest.main()
