"""A running `makegood serve`, and an endpoint that it delivers to."""

import http.server
import re
import signal
import subprocess
import threading
import time

from program import PROGRAM, clean_environment
from store import StoreCase

WAIT_SECONDS = 20
# Nobody needs a token; the door itself is tested in ../server/door_test.py.
OPEN_DOOR = {"MAKEGOOD_SERVER_OPEN_ON_LOOPBACK": "true"}


class Endpoint:
    """Answers every POST with `status`, and keeps what it got."""

    def __init__(self, status=200):
        self.status = status
        self.topics = []
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802, the name is given
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                endpoint.topics.append(self.headers.get("ce-type", ""))
                self.send_response(endpoint.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/in"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class ServerCase(StoreCase):
    SERVE = ()
    SERVE_VARIABLES = {}

    def prepare(self):
        """Before the server starts."""

    def setUp(self):
        super().setUp()
        self.prepare()
        self.serve()
        self.addCleanup(self.stop)

    def serve(self):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--store", "sqlite:shop.db", "--listen", "127.0.0.1:0", *self.SERVE], cwd=self.folder,
            env=clean_environment(**(OPEN_DOOR | {"MAKEGOOD_SERVER_DOOR_FOLDER": f"{self.folder}/door"} |
                                    self.SERVE_VARIABLES)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8")
        # The log is read so that it never fills its pipe.
        self.log = []
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
        self.reader.start()
        found = re.search(r"http://[\d.:]+", self.process.stdout.readline())
        self.assertIsNotNone(found, self.log)
        self.server = ("--server", found.group())
        self.await_that(lambda: self.makegood("status", *self.server, *self.token()).returncode == 0
                        and self.json("status", *self.server, *self.token())["outboxes"])

    def kill_server(self):
        """`serve` begins another one."""
        self.process.kill()
        self.close()

    def token(self):
        return ()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(WAIT_SECONDS)
        finally:
            self.process.kill()
            self.close()

    def close(self):
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def await_that(self, is_so):
        until = time.monotonic() + WAIT_SECONDS
        while not is_so():
            self.assertLess(time.monotonic(), until, "it does not come true")
            time.sleep(0.05)

    def endpoint(self, status=200):
        endpoint = Endpoint(status)
        self.addCleanup(endpoint.close)
        return endpoint
