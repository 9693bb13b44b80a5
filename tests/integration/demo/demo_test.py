"""`makegood demo`, the real one, with the real daemon and its endpoints."""

import os
import re
import selectors
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

PROGRAM = os.path.abspath(os.environ.get("MAKEGOOD_PROGRAM", "makegood"))
TOLD_WITHIN = 90
ENDED_WITHIN = 40


class Demo:
    """A demo in a folder of its own, and what it has said so far."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="makegood-demo-")
        # A group of its own, as a terminal gives it: Ctrl-C reaches all of it.
        environment = {**os.environ, "MAKEGOOD_SERVER_DOOR_FOLDER": os.path.join(self.folder.name, "door")}
        self.process = subprocess.Popen([PROGRAM, "demo", *arguments], cwd=self.folder.name, env=environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
                                        start_new_session=True)
        self.said = ""

    def await_words(self, *wanted):
        """Until all of them were said."""
        until = time.monotonic() + TOLD_WITHIN
        missing = list(wanted)
        while missing := [words for words in missing if not re.search(words, self.said)]:
            if not self.read(until - time.monotonic()):
                raise AssertionError(f"it never said {missing}; it said:\n{self.said}\n{self.log()}")
        return self.said

    def read(self, seconds):
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(max(0, seconds)):
                return False
        data = os.read(self.process.stdout.fileno(), 65536)
        self.said += data.decode()
        return bool(data)

    def log(self):
        try:
            with open(os.path.join(self.folder.name, "makegood-demo", "serve.log"), encoding="utf-8") as file:
                return file.read()[-2000:]
        except FileNotFoundError:
            return ""

    def interrupt(self):
        os.killpg(self.process.pid, signal.SIGINT)
        return self.ended()

    def ended(self):
        self.said += self.process.communicate(timeout=ENDED_WITHIN)[0].decode()
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()


class DemoTest(unittest.TestCase):
    def start(self, *arguments):
        demo = Demo(*arguments)
        self.addCleanup(demo.close)
        return demo

    def assert_nobody_listens(self, server):
        with self.assertRaises(urllib.error.URLError):
            urllib.request.urlopen(server + "/healthz", timeout=5)

    def test_shows_everything_within_a_minute_and_a_half_and_ends_at_ctrl_c(self):
        demo = self.start()
        demo.await_words(r"status --server (http://127\.0\.0\.1:\d+)")
        server = re.search(r"status --server (http://127\.0\.0\.1:\d+)", demo.said).group(1)
        with urllib.request.urlopen(server + "/readyz", timeout=10) as answer:
            self.assertEqual(answer.status, 200)
        token = subprocess.run([PROGRAM, "token", "--server", server], text=True, capture_output=True, check=True,
                               env={**os.environ, "MAKEGOOD_SERVER_DOOR_FOLDER": f"{demo.folder.name}/door"})
        asked = urllib.request.Request(server + "/metrics", headers={"Authorization": f"Bearer {token.stdout.strip()}"})
        with urllib.request.urlopen(asked, timeout=10) as answer:
            self.assertEqual(answer.status, 200)
        demo.await_words(r"inv-1 of customer-\d: committed with messages 1 and 2",
                         r"inv-3 .* rolled back",
                         r"to http:mail, attempt 1: .*503.* → retry",
                         r"customer-2 is blocked at http:crm",
                         r"to http:tax, attempt 1: .*422.* → dead letter",
                         r"warehouse +goes down",
                         r"the circuit of http:warehouse is open",
                         r"the circuit of http:warehouse is closed",
                         r"order-2: placed, and its saga started with it",
                         r"payments +order-2: charged",
                         r"makegood +order-2: its saga is completed",
                         r"payments +order-4: refused, the card has expired",
                         r"stock +order-4: released[\s\S]*orders +order-4: cancelled",
                         r"makegood +order-4: its saga is compensated")
        self.assertEqual(demo.interrupt(), 0, demo.said)
        self.assertIn("Ended: ", demo.said)
        self.assertIn("stopped", demo.log().splitlines()[-1], "the daemon was not ended properly")
        self.assert_nobody_listens(server)

    def test_ends_by_itself_when_told_for_how_long_and_leaves_its_files(self):
        demo = self.start("--seconds", "3", "--folder", "here")
        self.assertEqual(demo.ended(), 0, demo.said)
        database = sqlite3.connect(os.path.join(demo.folder.name, "here", "shop.db"))
        self.addCleanup(database.close)
        unpaid = database.execute("SELECT id FROM invoice WHERE paid = 0").fetchall()
        self.assertEqual(unpaid, [(3,)])
        payments = database.execute("SELECT count(*) FROM makegood_outbox WHERE topic LIKE '%payment%'").fetchone()[0]
        invoices = database.execute("SELECT count(*) FROM invoice").fetchone()[0]
        self.assertEqual(payments, invoices - 1)

    def test_takes_another_port_when_the_usual_one_is_taken(self):
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                other.bind(("127.0.0.1", 7700))
                other.listen()
            except OSError:
                pass  # Somebody else has it, which is as good.
            demo = self.start("--seconds", "1")
            self.assertEqual(demo.ended(), 0, demo.said)
            self.assertNotIn("127.0.0.1:7700", demo.said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
