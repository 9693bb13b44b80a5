"""Runs the real program in a folder of its own, with nothing from the environment that could steer it."""

import os
import subprocess
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ.get("MAKEGOOD_PROGRAM", "makegood"))
KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")


def clean_environment(**variables):
    return {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ} | variables


class ProgramCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def makegood(self, *arguments, **variables):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=clean_environment(**variables), timeout=60,
                              capture_output=True, encoding="utf-8", check=False)

    def succeed(self, *arguments, **variables):
        done = self.makegood(*arguments, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def fail_with(self, exit_code, *arguments, **variables):
        done = self.makegood(*arguments, **variables)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done
