"""Where named cases are tried: a real store, one or two real nodes, and participants that do as a case says.

A case is written once and runs on both stores: `on_both_stores` makes a class for each.
"""

import collections
import contextlib
import http.server
import itertools
import json
import os
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "postgres"))

from place import MISSING, PROGRAM, SERVER, DaemonCase, Node, clean_environment, on_database, psql  # noqa: E402

# Cases that have a size of their own in the acceptance list are tried at that size, and may take their time.
IS_FULL_SIZE = "MAKEGOOD_SAGA_FULL_SIZE" in os.environ
FULL_SIZE_SECONDS = 1800
LEASE = ("--set", "tx.saga.lease_ms=2s", "--set", "tx.outbox.lease_ms=2s")
PROXY = (404, "<html>no such route</html>")
OK = (200, {})
LATER = (202, {})
BROKEN = (500, {"error": "it broke after its commit"})


def step(name, service="shop", **more):
    """Does `/name`, is undone by `/undo-name`; short times, so that a case takes seconds."""
    return {"name": name, "action": f"http:{service}/{name}", "compensation": f"http:{service}/undo-{name}",
            "timeout": "1s", "compensation_timeout": "1s", "retry": {"base": "50ms", "cap": "200ms"}, **more}


def pivot(name, **more):
    made = step(name, pivot=True, **more)
    del made["compensation"], made["compensation_timeout"]
    return made


Call = collections.namedtuple("Call", "path headers body at raw")


class Participants:
    """Answers 200, unless a path has answers of its own: one after the other, the last for ever. An answer is a pair,
    or a function of the call that gives one."""

    def __init__(self, port=0):
        self.calls = []
        self.scripts = {}
        self.changed = threading.Condition()
        participants = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802, the name is given
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.reply(*participants.take(Call(self.path, self.headers, json.loads(body or b"null"),
                                                   time.monotonic(), body)))

            def reply(self, status, content):
                text = content if isinstance(content, (str, bytes)) else json.dumps(content)
                text = text.encode() if isinstance(text, str) else text
                self.send_response(status)
                self.send_header("Content-Type", "text/html" if isinstance(content, str) else "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler, bind_and_activate=False)
        self.server.request_queue_size = 1024
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # A sender that was killed.
        self.server.server_bind()
        self.port = self.server.server_port
        self.is_open = False

    def open(self):
        """Until then nobody is there: connections are refused."""
        self.server.server_activate()
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.is_open = True
        return self

    def close(self):
        if self.is_open:
            self.server.shutdown()
        self.server.server_close()

    def forget(self):
        self.forget_calls()
        self.scripts = {}

    def forget_calls(self):
        with self.changed:
            self.calls = []

    def script(self, path, *answers):
        with self.changed:
            self.scripts[path] = list(answers)

    def take(self, call):
        with self.changed:
            self.calls.append(call)
            self.changed.notify_all()
            answers = self.scripts.get(call.path, [OK])
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return answer(call) if callable(answer) else answer

    def at(self, path):
        with self.changed:
            return [call for call in self.calls if call.path == path]

    def paths(self):
        with self.changed:
            return [call.path for call in self.calls]

    def await_calls(self, path, count=1, seconds=20):
        """The last of them."""
        with self.changed:
            def have():
                return sum(call.path == path for call in self.calls) >= count
            assert self.changed.wait_for(have, seconds), f"{path} was not called {count} times: {self.paths_now()}"
        return self.at(path)[count - 1]

    def paths_now(self):
        return [call.path for call in self.calls]


class Ground:
    """A store with nodes on it, and the participants that they know as `http:shop`: for all cases of a class."""

    def __init__(self, store, is_empty):
        self.store, self.nodes = store, []
        self.folder = tempfile.mkdtemp(prefix="makegood-saga-")
        self.database = "test_" + secrets.token_hex(6)
        self.url = f"sqlite:{self.folder}/shop.db"
        if store == "postgres":
            psql(SERVER, f"CREATE DATABASE {self.database}")
            self.url = on_database(SERVER, self.database)
        if not is_empty:
            subprocess.run([PROGRAM, "migrate", "--store", self.url, "--saga-log", "makegood_saga"], check=True,
                           env=clean_environment(), capture_output=True)
        self.shop = Participants().open()

    def start_node(self, **variables):
        node = Node(tempfile.mkdtemp(dir=self.folder), *LEASE, store=self.url, **variables)
        assert node.address, node.log()
        self.nodes.append(node)
        return node

    def close(self):
        for node in self.nodes:
            if node.process.poll() is None:
                node.send(signal.SIGCONT)
            node.clear_away()
        self.shop.close()
        if self.store == "postgres":
            psql(SERVER, f"DROP DATABASE {self.database} WITH (FORCE)")
        shutil.rmtree(self.folder)


class SagaCase(DaemonCase):
    """Each case has a definition and an execution of its own."""
    STORE = "sqlite"
    VARIABLES = {}
    IS_EMPTY = False  # The store, without tables.
    numbers = itertools.count(1)

    @classmethod
    def setUpClass(cls):
        if cls.STORE == "postgres" and not SERVER:
            raise unittest.SkipTest(MISSING)
        super().setUpClass()
        cls.ground = Ground(cls.STORE, cls.IS_EMPTY)
        cls.addClassCleanup(cls.ground.close)

    def setUp(self):
        super().setUp()
        number = next(self.numbers)
        self.order, self.id = f"order{number}", f"o{number}"
        self.shop = self.ground.shop
        self.shop.forget()
        if self.ground.nodes:
            self.node = self.ground.nodes[-1]
            return
        self.node = self.start_node()
        self.register("shop", self.shop)

    def start_node(self):
        node = self.ground.start_node(**self.VARIABLES)
        self.await_(lambda: node.ask("GET", "/readyz").status == 200, "it becomes ready")
        return node

    def register(self, name, participants):
        self.settle(self.node, self.node.ask(
            "PUT", f"/api/outboxes/makegood_outbox/destinations/http:{name}",
            {"http": {"url": f"http://127.0.0.1:{participants.port}/"},
             "circuit": {"failures_max": 5, "wait_min_ms": 100, "wait_max_ms": 500}}))

    def participants(self, name):
        """Others than the shop, of this case alone. They are not there before they are opened."""
        participants = Participants()
        self.addCleanup(participants.close)
        participants.name = f"{name}-{self.id}"
        self.register(participants.name, participants)
        return participants

    def sql(self, statement):
        """As another program would, in a transaction of its own."""
        if self.STORE == "postgres":
            return psql(self.ground.url, statement)
        with contextlib.closing(sqlite3.connect(self.ground.url.removeprefix("sqlite:"), timeout=20)) as database:
            with database:
                return database.execute(statement).fetchall()

    def fail(self, msg=None):
        """With the last words of the nodes: they know more."""
        logs = "".join(f"\n--- a node says\n{node.log()[-3000:]}" for node in self.ground.nodes)
        super().fail(f"{msg}{logs}")

    # Executions
    # ----------------------------------------------------------------------------------------------------------------

    def define(self, *steps, name=None, **more):
        answer = self.node.ask("PUT", f"/api/saga/definitions/{name or self.order}", {**more, "steps": list(steps)})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def execute(self, identity=None, wait=0, **more):
        body = {"definition": self.order, "id": identity or self.id, "input": {"cents": 100}, "wait": wait, **more}
        return self.node.ask("POST", "/api/saga/execute", body)

    def start_by_sql(self):
        self.sql(f"INSERT INTO makegood_saga (topic, event_id, payload) VALUES ('{self.order}', '{self.id}', '{{}}')")

    def show(self, identity=None):
        return self.node.ask("GET", f"/api/saga/executions/{identity or self.id}").json()

    def await_state(self, *states, identity=None):
        self.await_(lambda: self.show(identity).get("state") in states, f"{identity or self.id} becomes {states}")
        return self.show(identity)

    def operate(self, verb, **more):
        return self.node.ask("POST", f"/api/saga/executions/{self.id}/{verb}", {"reason": "a try", **more})

    def call_back(self, call, outcome="ok", **more):
        """To the node that lives now, whoever has sent the request."""
        return self.node.ask("POST", callback_path(call), {"outcome": outcome, **more})

    def journal(self):
        return self.node.ask("GET", f"/api/saga/executions/{self.id}/journal?limit=1000").json()["items"]

    def count_ended(self, state):
        return int(self.sql(f"SELECT count(*) FROM makegood_saga_end"
                            f" WHERE state = '{state}' AND definition = '{self.order}'")[0][0])


def callback_path(call):
    return "/" + call.headers["makegood-callback"].split("/", 3)[3]


def on_both_stores(case):
    module = sys.modules[case.__module__]
    for store in ("sqlite", "postgres"):
        name = f"{case.__name__}On{store.capitalize()}"
        made = type(name, (case, SagaCase), {"STORE": store, "__module__": case.__module__})
        setattr(module, name, made)
    return case
