"""A real `makegood proxy` before a real service, on SQLite and, where there is one, on PostgreSQL."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "postgres"))

from place import GENEROUS_SECONDS, PROGRAM, clean_environment  # noqa: E402
from postgres_database import database_of, needs_postgres  # noqa: E402


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.reason = response.reason
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)

    @property
    def word(self):
        return self.headers.get("Idempotency-Status")


def ask(address, method, path, body=None, key=None, timeout=GENEROUS_SECONDS, **headers):
    connection = http.client.HTTPConnection(address, timeout=timeout)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if key is not None:
        headers["Idempotency-Key"] = key
    try:
        connection.request(method, path, body, headers)
        return Answer(connection.getresponse())
    finally:
        connection.close()


class Service:
    def __init__(self, folder):
        self.folder, self.port = folder, 0
        self.ledger_path = os.path.join(folder, "ledger")
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, "-B", os.path.join(HERE, "service.py"), str(self.port),
                                         self.ledger_path], stdout=subprocess.PIPE, encoding="utf-8")
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def effects(self, path=None):
        with open(self.ledger_path, encoding="utf-8") as ledger:
            lines = [json.loads(line) for line in ledger if line.endswith("\n")]
        return [line for line in lines if path is None or line["path"] == path]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Proxy:
    def __init__(self, folder, store, *flags, listen="127.0.0.1:0"):
        self.log_path = os.path.join(folder, "proxy.log")
        with open(self.log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([PROGRAM, "proxy", "--store", store, "--listen", listen, *flags],
                                            cwd=folder, env=clean_environment(), stdout=subprocess.PIPE, stderr=log,
                                            encoding="utf-8")
        self.hello = self.process.stdout.readline()
        found = re.search(r" on http://([0-9.]+:\d+)", self.hello)
        self.address = found[1] if found else None
        admin = re.search(r"admin on http://([0-9.]+:\d+)", self.hello)
        self.admin = admin[1] if admin else None

    def log(self):
        with open(self.log_path, encoding="utf-8") as log:
            return log.read()

    def ask(self, method, path, body=None, key=None, **more):
        return ask(self.address, method, path, body, key, **more)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(GENEROUS_SECONDS)

    def clear_away(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(GENEROUS_SECONDS)
        self.process.stdout.close()


class ProxyCase(unittest.TestCase):
    """On SQLite; `on_postgres` makes the same of PostgreSQL."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="makegood-proxy-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.store = self.new_store()
        self.service = Service(self.folder)
        self.addCleanup(self.service.kill)

    def new_store(self):
        return "sqlite:keys.db"

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return os.path.join(self.folder, name)

    def start(self, *flags, **more):
        """By flags alone."""
        proxy = Proxy(self.folder, self.store, "--upstream", self.service.url, *flags, **more)
        self.addCleanup(proxy.clear_away)
        self.assertIsNotNone(proxy.address, proxy.log())
        return proxy

    def start_with(self, document, *flags, **more):
        return self.start("--routes", self.write("routes.yaml", document), *flags, **more)

    def await_(self, is_so, what, seconds=GENEROUS_SECONDS):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                self.fail(f"waited in vain: {what}")
            time.sleep(0.02)


def on_postgres(case):
    """The same story with the keys in a database of PostgreSQL; skipped where there is no server."""

    @needs_postgres
    class OnPostgres(case):
        def new_store(self):
            return database_of(self)

    OnPostgres.__name__ = OnPostgres.__qualname__ = case.__name__ + "OnPostgres"
    return OnPostgres
