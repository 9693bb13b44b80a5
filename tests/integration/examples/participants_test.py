"""A participant of examples/participants against `makegood saga check-participant`.

participants_test.py python|node|go|java
"""

import contextlib
import json
import os
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "postgres"))

from place import PSQL, PostgresCase, psql, require_server  # noqa: E402
from postgres_producers import JARS, fetch_from_pypi  # noqa: E402
from producers import CannotRun, build_go, build_java, fetch_from_npm, need, source  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("MAKEGOOD_PROGRAM", "makegood"))
LANGUAGE = sys.argv.pop(1)
LISTENS_WITHIN = 60
ORDER = {"customer": "ann", "cents": 1990}
CHARGED = "SELECT count(*) FROM payment WHERE state = 'charged'"
STATES = "SELECT customer, cents, state FROM payment ORDER BY id"


def python():
    return ["env", f"PYTHONPATH={fetch_from_pypi('participant')}", sys.executable, "-B",
            source("participants", "python", "payments.py")]


def node():
    need("node")
    return ["node", os.path.join(fetch_from_npm("participant"), "payments.mjs")]


def go():
    need("gcc")
    return build_go(".", "participant-go", "-tags", "libsqlite3", kind="participant")


def java():
    return build_java("Payments", JARS, kind="participant")


COMMANDS = {"python": python, "node": node, "go": go, "java": java}
COMMAND = []
IS_ON_SQLITE = LANGUAGE == "go"


class Participant(PostgresCase):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, "payments.db")
        self.pid = os.path.join(self.folder, "pid")
        self.log = os.path.join(self.folder, "log")
        self.port = self.free_port()
        command = shlex.join([*COMMAND, self.database(), str(self.port)])
        self.command = f"({command} > {self.log} 2>&1 & echo $! > {self.pid})"
        subprocess.run(self.command, shell=True, check=True)
        self.addCleanup(self.kill)
        self.await_listening()

    def database(self):
        if IS_ON_SQLITE:
            return self.file
        return self.url if LANGUAGE != "java" else self.as_jdbc_says()

    def as_jdbc_says(self):
        at = urllib.parse.urlsplit(self.url)
        return f"jdbc:postgresql://{at.hostname}:{at.port}{at.path}?user={at.username}&password={at.password}"

    def state_command(self):
        if IS_ON_SQLITE:
            program = f"import sqlite3; print(sqlite3.connect({self.file!r}).execute({CHARGED!r}).fetchone())"
            return shlex.join([sys.executable, "-c", program])
        return shlex.join([PSQL, "-XAtc", CHARGED, self.url])

    def query(self, sql):
        if not IS_ON_SQLITE:
            return psql(self.url, sql)
        with contextlib.closing(sqlite3.connect(self.file)) as db:
            return [tuple(str(value) for value in row) for row in db.execute(sql)]

    def await_listening(self):
        until = time.monotonic() + LISTENS_WITHIN
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            self.assertLess(time.monotonic(), until, self.said())
            time.sleep(0.05)  # Nobody can wait for another program to listen.

    def said(self):
        with contextlib.suppress(FileNotFoundError), open(self.log, encoding="utf-8") as log:
            return log.read()
        return "nothing yet"

    def kill(self):
        with open(self.pid, encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGKILL)

    @staticmethod
    def free_port():
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            return free.getsockname()[1]

    def test_keeps_what_a_barrier_promises_even_when_it_is_killed(self):
        url = f"http://127.0.0.1:{self.port}"
        done = subprocess.run(
            [PROGRAM, "saga", "check-participant", f"{url}/charge", "--compensation", f"{url}/refund",
             "--input", json.dumps(ORDER), "--refused-input", json.dumps({**ORDER, "customer": "broke"}),
             "--state-command", self.state_command(), "--kill-command",
             f"kill -9 $(cat {self.pid}); {self.command}", "--json"],
            timeout=200, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        verdicts = {rule["name"]: rule["verdict"] for rule in json.loads(done.stdout)}
        self.assertEqual({name for name, verdict in verdicts.items() if verdict != "passed"}, {"deadline"}, verdicts)
        self.assertEqual(self.query("SELECT count(*) FROM payment WHERE state = 'charged' OR customer = 'broke'"),
                         [("0",)])

    def test_charges_for_an_order_that_a_saga_carries_out(self):
        daemon = self.start()
        definition = os.path.join(self.folder, "saga.yaml")
        with open(definition, "w", encoding="utf-8") as file:
            json.dump({"destinations": [{"name": "http:payments", "http": {"url": f"http://127.0.0.1:{self.port}/"}}],
                       "sagas": [{"name": "pay", "steps": [
                           {"name": "payment", "action": "http:payments/charge", "participant": "barrier",
                            "compensation": "http:payments/refund"}]}]}, file)
        server = ("--server", f"http://{daemon.address}")
        self.makegood("apply", "-f", definition, "--yes", "--reason", "a try", *server)
        self.makegood("saga", "start", "pay", "--id", "order-1", "--wait", "30", "--input", json.dumps(ORDER), *server)
        self.assertEqual(self.query(STATES), [("ann", "1990", "charged")])


if __name__ == "__main__":
    require_server()
    try:
        COMMAND = COMMANDS[LANGUAGE]()
    except CannotRun as reason:
        print(f"SKIPPED: the participant in {LANGUAGE} is not run: {reason}")
        sys.exit(77)
    unittest.main(verbosity=2)
