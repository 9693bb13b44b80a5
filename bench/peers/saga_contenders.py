"""Who carries out the same saga: how each is installed by package name, and started over the arena's server."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from contenders import FOLDER, HERE, ROOT, CannotRun, run

PROGRAMS = ROOT / "build" / "release" / "bin"
READY_WITHIN = 60
DEFINITION = """destinations:
  - {{name: "http:steps", http: {{url: "{endpoint}"}}}}
sagas:
  - name: two
    steps:
      - {{name: first, action: "http:steps/step", compensation: "http:steps/step"}}
      - {{name: second, action: "http:steps/step", compensation: "http:steps/step"}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def until_answered(url, process):
    """Any answer counts: somebody listens."""
    for _ in range(READY_WITHIN * 10):
        if process.poll() is not None:
            raise CannotRun(f"ended with {process.returncode}")
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    raise CannotRun(f"did not answer within {READY_WITHIN} s")


def post(url, document):
    request = urllib.request.Request(url, json.dumps(document).encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=READY_WITHIN).close()


class Contender:
    """`start` answers the URL to which a saga is submitted; what it has started ends with `stop`."""

    def __init__(self):
        self.processes = []

    def spawn(self, *command, **environment):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([*map(str, command)], env={**os.environ, **environment}, start_new_session=True,
                                   **quiet)
        self.processes.append(process)
        return process

    def stop(self):
        """With what it has started itself: npm's programs are wrappers."""
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes = []


class Makegood(Contender):
    name, submits = "Makegood", "makegood"

    def prepare(self):
        pass

    def start(self, arena, endpoint, folder):
        document = folder / "sagas.yaml"
        document.write_text(DEFINITION.format(endpoint=endpoint), encoding="utf-8")
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        serve = self.spawn(PROGRAMS / "makegood", "serve", "--store", arena.url(), "--listen", f"127.0.0.1:{port}",
                           "--apply", document, "--set", "server.open_on_loopback=true")
        until_answered(url + "/healthz", serve)
        for _ in range(READY_WITHIN * 10):
            try:
                post(url + "/api/saga/execute", {"definition": "two", "wait": 5, "input": {}})
                return url + "/api/saga/execute"
            except urllib.error.HTTPError:
                time.sleep(0.1)
        raise CannotRun("the document was not applied")


class Dtm(Contender):
    name, submits = "DTM 1.19.0", "dtm"

    def prepare(self):
        run("go", "build", "-o", FOLDER / "dtm", "github.com/dtm-labs/dtm", folder=HERE / "dtm",
            GOFLAGS="-mod=readonly")
        module = json.loads(run("go", "list", "-m", "-json", "github.com/dtm-labs/dtm", folder=HERE / "dtm"))
        self.tables = f"{module['Dir']}/sqls/dtmsvr.storage.postgres.sql"

    def start(self, arena, endpoint, folder):
        place = urlsplit(arena.url())
        run("psql", "-XAtq", "-f", self.tables, arena.url())
        port = free_port()
        dtm = self.spawn(FOLDER / "dtm", STORE_DRIVER="postgres", STORE_HOST=place.hostname, STORE_PORT=str(place.port),
                         STORE_USER=place.username, STORE_PASSWORD=place.password, STORE_DB=place.path.lstrip("/"),
                         STORE_MAX_OPEN_CONNS="100", HTTP_PORT=str(port), GRPC_PORT=str(free_port()),
                         JSON_RPC_PORT=str(free_port()), LOG_LEVEL="error")
        url = f"http://127.0.0.1:{port}/api/dtmsvr"
        until_answered(url + "/newGid", dtm)
        return url + "/submit"


class Restate(Contender):
    name, submits = "Restate 1.7.12", "restate"

    def prepare(self):
        self.folder = FOLDER / "restate"
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json", "service.mjs"):
            shutil.copy(HERE / "restate" / name, self.folder)
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=self.folder)

    def start(self, arena, endpoint, folder):
        """It has a durable log of its own, and no use for a database."""
        programs = self.folder / "node_modules" / ".bin"
        port, ingress, admin, node = free_port(), free_port(), free_port(), free_port()
        self.spawn(programs / "node", self.folder / "service.mjs", port, endpoint + "step")  # Speaks HTTP/2 only.
        server = self.spawn(programs / "restate-server", "--base-dir", folder / "restate",
                            RESTATE_INGRESS__BIND_ADDRESS=f"127.0.0.1:{ingress}", RESTATE_LOG_FILTER="error",
                            RESTATE_ADMIN__BIND_ADDRESS=f"127.0.0.1:{admin}", DO_NOT_TRACK="1",
                            RESTATE_BIND_ADDRESS=f"127.0.0.1:{node}",
                            RESTATE_ADVERTISED_ADDRESS=f"http://127.0.0.1:{node}/")
        until_answered(f"http://127.0.0.1:{admin}/health", server)
        for _ in range(READY_WITHIN):
            try:
                post(f"http://127.0.0.1:{admin}/deployments", {"uri": f"http://127.0.0.1:{port}"})
                return f"http://127.0.0.1:{ingress}/saga/two"
            except OSError:
                time.sleep(1)
        raise CannotRun("the service could not be registered")
