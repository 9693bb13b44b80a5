"""examples/dev against the real `makegood dev`: the tests of both languages, and what they do not use of /dev."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

PROGRAM = os.path.abspath(os.environ.get("MAKEGOOD_PROGRAM", "makegood"))
DEV = os.path.join(os.path.abspath(os.environ.get("MAKEGOOD_EXAMPLES", "examples")), "dev")
STARTED_WITHIN = 60
ARRIVED_WITHIN = 30
STOPPED_WITHIN = 40


class Kit:
    """A running `makegood dev`."""

    def __init__(self, folder):
        environment = {**os.environ, "TMPDIR": folder}
        self.process = subprocess.Popen([PROGRAM, "dev", os.path.join(DEV, "order.yaml"), "--listen", "127.0.0.1:0",
                                         "--port", "0"], text=True, env=environment, cwd=folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        timer = threading.Timer(STARTED_WITHIN, self.process.kill)  # One that says nothing is ended.
        timer.start()
        try:
            self.dev = self.await_line(r"fake participants and /dev on (\S+)")
            self.rest = self.await_line(r"serves .* on (http://\S+)")
        finally:
            timer.cancel()
        self.lines = []
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()
        self.await_that(self.is_ready)

    def await_line(self, pattern):
        said = ""
        for line in self.process.stdout:
            said += line
            found = re.search(pattern, line)
            if found:
                return found[1]
        raise AssertionError(said)

    def is_ready(self):
        try:
            with urllib.request.urlopen(self.rest + "/readyz", timeout=10) as answer:
                return answer.status == 200
        except urllib.error.HTTPError:
            return False

    def await_that(self, holds):
        end = time.monotonic() + ARRIVED_WITHIN
        while time.monotonic() < end:
            if found := holds():
                return found
            time.sleep(0.02)
        raise AssertionError("".join(self.lines))

    def ask(self, method, url, body=None):
        data = None if body is None else body.encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def close(self):
        self.process.terminate()
        return self.process.wait(STOPPED_WITHIN)


class DevKit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="makegood-dev-test-")
        cls.kit = Kit(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        status = cls.kit.close()
        left = os.listdir(cls.folder.name)
        cls.folder.cleanup()
        assert (status, left) == (0, []), (status, left, "".join(cls.kit.lines))

    def run_example(self, *command):
        environment = {**os.environ, "REST": self.kit.rest, "DEV": self.kit.dev}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_example_in_python(self):
        self.run_example(sys.executable, os.path.join(DEV, "python", "order_test.py"))

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_example_in_node(self):
        self.run_example("node", "--test", os.path.join(DEV, "node", "order.test.mjs"))

    def test_captures_what_the_outbox_delivers_and_retries_by_its_clock(self):
        self.kit.ask("POST", self.kit.dev + "/dev/answers", '{"path": "/outbox/", "answers": [{"status": 500}]}')
        path = self.kit.rest + "/api/outboxes/makegood_outbox/messages"
        status, told = self.kit.ask("POST", path, '{"topic": "orders.placed", "payload": {"order": 7}}')
        self.assertLess(status, 300, told)

        def captured():
            items = self.kit.ask("GET", self.kit.dev + "/dev/calls")[1]["items"]
            return [call for call in items if call["headers"].get("ce-type") == "orders.placed"]
        first = self.kit.await_that(captured)[0]
        self.assertEqual((first["path"], first["status"], json.loads(first["body"])), ("/outbox/", 500, {"order": 7}))
        self.kit.ask("POST", self.kit.dev + "/dev/clock/advance", '{"by": "1h"}')
        self.assertEqual(self.kit.await_that(lambda: captured()[1:])[0]["status"], 200)

    def test_ends_a_day_of_waiting_when_its_clock_is_advanced(self):
        document = {"name": "patience", "output": {"receipt": "${paid.receipt}"},
                    "steps": [{"name": "paid", "action": "event:paid"}, {"name": "pause", "wait": "24h"}]}
        start = json.dumps({"id": "patience-1", "document": document})
        self.assertEqual(self.kit.ask("POST", self.kit.rest + "/api/saga/execute/inline", start)[0], 202)
        execution = self.kit.rest + "/api/saga/executions/patience-1"
        self.kit.ask("POST", execution + "/events", '{"event": "paid", "data": {"receipt": 12}}')
        self.kit.await_that(lambda: self.kit.ask("GET", execution)[1]["waitsFor"] == "timer")
        self.kit.ask("POST", self.kit.dev + "/dev/clock/advance", '{"by": "24h"}')
        self.kit.await_that(lambda: self.kit.ask("GET", execution)[1]["state"] == "completed")
        self.assertEqual(self.kit.ask("GET", execution)[1]["output"], {"receipt": 12})

    def test_tells_what_is_wrong(self):
        ask = self.kit.ask
        status, told = ask("POST", self.kit.dev + "/dev/answers", '{"path": "/x", "answers": [{"statsu": 500}]}')
        self.assertEqual((status, told["message"]), (400, "An answer has no 'statsu'; is it status?"))
        self.assertEqual(ask("POST", self.kit.dev + "/dev/clock/advance", '{"by": "-1h"}')[0], 400)
        self.assertEqual(ask("GET", self.kit.dev + "/dev/nothing")[0], 404)

    def test_moves_its_clock(self):
        before = self.kit.ask("GET", self.kit.dev + "/dev/clock")[1]["now_ms"]
        after = self.kit.ask("POST", self.kit.dev + "/dev/clock/advance", '{"ms": 3600000}')[1]["now_ms"]
        self.assertGreaterEqual(after - before, 3600000)


if __name__ == "__main__":
    unittest.main()
