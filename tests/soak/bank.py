#!/usr/bin/env python3
"""bank.py FOLDER PORT SEED: a participant of sagas, whose money is in a SQLite file of its own, behind a barrier.

The file and the port are the same in all its lives. Until SIGUSR1 it refuses some requests, is slow, says 503, speaks
as a proxy does, answers later by callback, breaks after its commit and loses answers.
"""

import http.client
import http.server
import json
import os
import random
import signal
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "sagas"))

from services import Refused, Service  # noqa: E402

FAULTS = {"busy": 3, "proxy": 1, "later": 5, "slow": 3, "broken": 3, "lost": 3, "too late": 1}
FAULTLESS_WEIGHT = 100
REFUSED_SHARE = 0.08
TOO_LATE_SECONDS = 2.5  # Above the timeout of a step.
CALLED_BACK_ATTEMPTS = 20


class Bank(Service):
    """Entries are never changed: what is done twice, or undone twice, stays visible."""
    SCHEMA = """
    CREATE TABLE IF NOT EXISTS entry (transfer TEXT, step TEXT, cents INTEGER);
    """
    UNDOES = ("undo",)

    def move(self, db, body):
        if body.get("refusal"):
            raise Refused("REFUSED")
        db.execute("INSERT INTO entry VALUES (:transfer, :step, :cents)", body)
        return body

    def undo(self, db, answer):
        db.execute("INSERT INTO entry VALUES (:transfer, :step, -:cents)", answer)


class Counter:
    """Who stands behind it decides what goes wrong, not what is moved."""

    def __init__(self, bank, seed):
        self.bank = bank
        self.chance = random.Random(f"{seed} {os.getpid()}")
        self.is_calm = False

    def fault(self):
        if self.is_calm:
            return "ok"
        return self.chance.choices(["ok", *FAULTS], [FAULTLESS_WEIGHT, *FAULTS.values()])[0]

    def take(self, path, headers, body):
        """The status and the answer; None: nothing is answered."""
        fault = self.fault()
        if fault == "busy":
            return 503, {}
        if fault == "proxy":
            return 404, "<html>no such route</html>"
        if fault == "later" and "makegood-callback" in headers:
            threading.Thread(target=self.call_back, args=(path, headers, body), daemon=True).start()
            return 202, {}
        if fault == "slow":
            time.sleep(self.chance.uniform(0.05, 0.5))
        if fault == "too late":
            time.sleep(TOO_LATE_SECONDS)
        answer = self.answer(path, headers, body)
        if fault == "broken":
            return 500, {"error": "it broke after its commit"}
        return None if fault == "lost" else answer

    def answer(self, path, headers, body):
        is_refused = self.chance.random() < REFUSED_SHARE and not self.is_calm and body.get("may_refuse")
        return self.bank.answer(path, headers, {**body, "refusal": is_refused})

    def call_back(self, path, headers, body):
        """Until somebody has taken it: the server may be dead at the moment."""
        time.sleep(self.chance.uniform(0.01, 1))
        status, answer = self.answer(path, headers, body)
        said = {"outcome": "ok", "output": answer} if status == 200 else {"outcome": "fail", "code": answer["code"]}
        for _ in range(CALLED_BACK_ATTEMPTS):
            if self.post(headers["makegood-callback"], said):
                return
            time.sleep(0.3)

    @staticmethod
    def post(url, body):
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=5)
        try:
            connection.request("POST", f"{parts.path}?{parts.query}", json.dumps(body),
                               {"Content-Type": "application/json"})
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def handler_for(counter):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # noqa: N802, the name is given
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                answer = counter.take(self.path, self.headers, body)
            except Exception as error:  # Rolled back.
                answer = 500, {"error": str(error)}
            if answer is None:
                self.close_connection = True
                return
            try:
                self.reply(*answer)
            except ConnectionError:
                self.close_connection = True  # Whoever asked is dead; the next one asks again.

        def reply(self, status, content):
            text = content if isinstance(content, str) else json.dumps(content)
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if isinstance(content, str) else "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    return Handler


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """Whoever asks is killed all the time."""


def main(folder, port, seed):
    os.makedirs(folder, exist_ok=True)
    counter = Counter(Bank(folder), seed)
    server = Server(("127.0.0.1", int(port)), handler_for(counter))

    def calm_down(*_):
        counter.is_calm = True

    signal.signal(signal.SIGUSR1, calm_down)
    print("ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:4])
