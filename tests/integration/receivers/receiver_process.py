"""Starts receivers, delivers to them with the real transport, and looks at what they have done."""

import base64
import collections
import concurrent.futures
import contextlib
import hashlib
import hmac
import http.client
import http.server
import json
import os
import selectors
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

DELIVER = os.environ.get("MAKEGOOD_DELIVER", "")
EXAMPLES = os.environ.get("MAKEGOOD_RECEIVERS", "")
STARTED_WITHIN = 20

OLD_KEY = "whsec_b2xkIGtleSBvbGQga2V5IG9sZCBrZXkgb2xk"
NEW_KEY = "whsec_bmV3IGtleSBuZXcga2V5IG5ldyBrZXkgbmV3"
OTHER_KEY = "whsec_b3RoZXIga2V5IG90aGVyIGtleSBvdGhlciBr"
# The seed is thirty-two times the byte 0x11; the public key is what Node makes of it.
PAIR_KEY = "whsk_ERERERERERERERERERERERERERERERERERERERERERE="
PAIR_PUBLIC_KEY = "whpk_0EqyMnQrtKs6E2i9RhXk5tAiSrcaAWuvhSCjMsl3hzc="
KEYS = {"OLD": OLD_KEY, "NEW": NEW_KEY, "OTHER": OTHER_KEY, "PAIR": PAIR_KEY}


Outcome = collections.namedtuple("Outcome", ["kind", "retry_after", "detail"])


class Receiver:
    """A receiver as a process of its own, on a port that was free."""

    def __init__(self, keys, unsubscribed=False):
        self.folder = tempfile.TemporaryDirectory(prefix="makegood-receiver-")
        self.environment = {**os.environ, "WEBHOOK_KEYS": " ".join(keys), "UNSUBSCRIBED": "1" if unsubscribed else "0"}
        self.arguments = self.command(unsubscribed)
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.arguments, env=self.environment, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.port = self.read_port()

    def read_port(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(STARTED_WITHIN):
                raise AssertionError("the receiver did not start")
        return int(self.process.stdout.readline().rsplit(" ", 1)[1])

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def post(self, headers, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=STARTED_WITHIN)
        connection.request("POST", "/", body, headers)
        response = connection.getresponse()
        response.read()
        connection.close()
        return response

    def kill(self):
        self.process.kill()
        self.process.wait(STARTED_WITHIN)
        self.process.stdout.close()

    def close(self):
        self.kill()
        self.folder.cleanup()


class PythonReceiver(Receiver):
    PLACES = 32

    def command(self, unsubscribed):
        return [sys.executable, os.path.join(EXAMPLES, "python", "receiver.py"), "--port", "0", "--database",
                self.path("shop.db"), *(["--unsubscribed"] if unsubscribed else [])]

    def refusal_when_crowded(self):
        """All its places are taken by requests that wait for its database; the others are refused."""
        database = sqlite3.connect(self.path("shop.db"), isolation_level=None)
        database.execute("BEGIN IMMEDIATE")
        body = b"{}"
        headers = {**signed(body, OLD_KEY), "Content-Type": "application/json", "ce-type": "t", "ce-source": "/s"}
        with concurrent.futures.ThreadPoolExecutor(2 * self.PLACES) as pool:
            answers = list(pool.map(lambda _: self.post(headers, body), range(2 * self.PLACES)))
        database.close()
        return next(answer for answer in answers if answer.status != 503)

    def effects(self):
        database = sqlite3.connect(self.path("shop.db"))
        rows = database.execute("SELECT topic, data FROM orders ORDER BY rowid").fetchall()
        database.close()
        return [(topic, data if isinstance(data, bytes) else json.loads(data)) for topic, data in rows]


class NodeReceiver(Receiver):
    PLACES = 256

    def command(self, unsubscribed):
        return ["node", os.path.join(EXAMPLES, "node", "receiver.mjs"), "0", self.path("journal.jsonl")]

    def refusal_when_crowded(self):
        """All its places are taken by requests whose body does not come."""
        with contextlib.ExitStack() as stack:
            for _ in range(self.PLACES):
                half = stack.enter_context(socket.create_connection(("127.0.0.1", self.port), STARTED_WITHIN))
                half.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
                half.recv(64)  # It is being read.
            refusal = self.post({}, b"")
        self.await_places()
        return refusal

    def await_places(self):
        """Until it has noticed that they are free."""
        until = time.monotonic() + STARTED_WITHIN
        while self.post({}, b"").status == 429:
            if time.monotonic() > until:
                raise AssertionError("its places stay taken")

    def effects(self):
        with open(self.path("journal.jsonl"), encoding="utf-8") as journal:
            lines = [json.loads(line) for line in journal]
        return [(line["topic"], line["data"]) for line in lines]


class Capture:
    """Keeps the request as it came, for those who want to send it again, changed."""

    def __init__(self):
        capture = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                capture.line = self.requestline
                capture.headers = dict(self.headers.items())
                capture.body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def signed(body, key, event_id="event-1"):
    """The headers that Standard Webhooks wants, made here: for bodies that we never send."""
    now = str(int(time.time()))
    secret = base64.b64decode(key.removeprefix("whsec_"))
    digest = hmac.digest(secret, f"{event_id}.{now}.".encode() + body, hashlib.sha256)
    return {"webhook-id": event_id, "webhook-timestamp": now,
            "webhook-signature": "v1," + base64.b64encode(digest).decode()}


def deliver(receiver, keys=("OLD",), **names):
    """One delivery, and what the lane would be told about it."""
    references = " ".join(f"env:MAKEGOOD_SECRET_{key}" for key in keys)
    arguments = {"url": f"http://127.0.0.1:{receiver.port}/in", "keys": references, **names}
    environment = {**os.environ, **{f"MAKEGOOD_SECRET_{name}": key for name, key in KEYS.items()}}
    done = subprocess.run([DELIVER, *(f"{name}={value}" for name, value in arguments.items())], env=environment,
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    kind, seconds, detail = done.stdout.rstrip("\n").split(" ", 2)
    return Outcome(kind, int(seconds), detail)
