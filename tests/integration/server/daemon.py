"""The real `makegood serve` in a folder of its own, and a receiver for what it sends."""

import http.client
import http.server
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
import time
import unittest

PROGRAM = os.path.abspath(os.environ.get("MAKEGOOD_PROGRAM", "makegood"))
KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
MESSAGES = "/api/outboxes/makegood_outbox/messages"
GENEROUS_SECONDS = 30


def clean_environment(**variables):
    return {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ} | variables


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


def open_door(folder):
    """For daemons of tests that are not about the door: nobody needs a token, and each has a socket of its own."""
    return {"MAKEGOOD_SERVER_OPEN_ON_LOOPBACK": "true", "MAKEGOOD_SERVER_DOOR_FOLDER": os.path.join(folder, "door")}


class Daemon:
    """Started at once; `address` is known when it says so itself."""

    def __init__(self, folder, *flags, store="sqlite:shop.db", listen="127.0.0.1:0", **variables):
        self.began = time.monotonic()
        self.log_path = os.path.join(folder, "serve.log")
        with open(self.log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([PROGRAM, "serve", "--store", store, "--listen", listen, *flags],
                                            cwd=folder, env=clean_environment(**(open_door(folder) | variables)),
                                            stdout=subprocess.PIPE,
                                            stderr=log, encoding="utf-8")
        self.hello = self.process.stdout.readline()
        self.hello_seconds = time.monotonic() - self.began
        found = re.search(r" on http://([0-9.]+:\d+)", self.hello)
        self.address = found[1] if found else None

    def log(self):
        with open(self.log_path, encoding="utf-8") as log:
            return log.read()

    def ask(self, method, path, body=None, token=None, **headers):
        connection = http.client.HTTPConnection(self.address, timeout=GENEROUS_SECONDS)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        try:
            connection.request(method, path, body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def enqueue(self, topic="order.placed", **more):
        return self.ask("POST", MESSAGES, {"topic": topic, "payload": {"n": 1}, **more})

    def send(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        """Sends the signal; answers the exit code and how long it took."""
        began = time.monotonic()
        self.send(number)
        code = self.process.wait(GENEROUS_SECONDS)
        return code, time.monotonic() - began

    def clear_away(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(GENEROUS_SECONDS)
        self.process.stdout.close()


class Receiver:
    """Answers every delivery; `answer` may be changed to a function of the request's body that gives a status, and
    `words` to one that gives what stands below it."""

    def __init__(self):
        self.bodies = []
        self.headers = []
        self.answer = lambda body: 200
        self.words = lambda body: b""
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver.answer(body)
                receiver.headers.append(self.headers)
                receiver.bodies.append((self.headers.get("webhook-id"), body))
                words = receiver.words(body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(words)))
                self.end_headers()
                self.wfile.write(words)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # A sender that was killed.
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class DaemonCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-serve-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, *flags, **more):
        daemon = Daemon(self.folder, *flags, **more)
        self.addCleanup(daemon.clear_away)
        self.assertIsNotNone(daemon.address, daemon.log())
        return daemon

    def start_ready(self, *flags, **more):
        daemon = self.start(*flags, **more)
        self.await_(lambda: daemon.ask("GET", "/readyz").status == 200, "it becomes ready")
        return daemon

    def receiver(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        return receiver

    def route_to(self, daemon, receiver):
        """Everything of the shop's goes to this receiver."""
        base = "/api/outboxes/makegood_outbox"
        self.settle(daemon, daemon.ask("PUT", f"{base}/destinations/http:billing", {"http": {"url": receiver.url}}))
        self.settle(daemon, daemon.ask("PUT", f"{base}/routes", {
            "routes": [{"pattern": "order.*", "destination": "http:billing"}], "reason": "a try"}))

    def run_advice(self, trouble, exits=(0,), more=(), **variables):
        """What status advises, as a person would copy it; answers what it says."""
        program, *arguments = shlex.split(trouble["advice"])
        self.assertEqual(program, "makegood")
        done = subprocess.run([PROGRAM, *arguments, *more], cwd=self.folder, env=clean_environment(**variables),
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertIn(done.returncode, exits, done.stdout + done.stderr)
        return done.stdout

    def settle(self, daemon, answer):
        """A change is carried out by the lane's owner; 202 means that it is still about to."""
        self.assertIn(answer.status, (200, 201, 202), answer.body)
        if answer.status != 202:
            return
        path = f"/api/outboxes/makegood_outbox/requests/{answer.json()['request']}"
        self.await_(lambda: daemon.ask("GET", path).json()["result"] not in ("", "open", None), "the owner does it")

    def await_(self, is_so, what, seconds=GENEROUS_SECONDS):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                self.fail(f"waited in vain: {what}")
            time.sleep(0.05)
