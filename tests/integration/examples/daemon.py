"""`makegood serve` on a store, and an endpoint that keeps what it receives."""

import http.server
import json
import queue
import re
import subprocess
import threading
import time
import urllib.request

STARTED_WITHIN = 30
ARRIVED_WITHIN = 30
STOPPED_WITHIN = 40


class Endpoint:
    """Takes everything."""

    def __init__(self):
        self.arrived = arrived = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                arrived.put((self.headers["ce-type"], self.headers["ce-tenant"], self.headers["ce-subject"],
                             body.decode()))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/in"

    def next(self, count):
        return [self.arrived.get(timeout=ARRIVED_WITHIN) for _ in range(count)]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Daemon:
    def __init__(self, program, store):
        self.process = subprocess.Popen([program, "serve", "--store", store, "--listen", "127.0.0.1:0",
                                         "--set", "server.open_on_loopback=true"], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        timer = threading.Timer(STARTED_WITHIN, self.process.kill)  # A daemon that says nothing is ended.
        timer.start()
        try:
            self.url = next(self.addresses())
        finally:
            timer.cancel()
        # Whoever prints must be read, or it stands still some day.
        self.reader = threading.Thread(target=self.process.stdout.read, daemon=True)
        self.reader.start()

    def addresses(self):
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                yield found.group()
        raise AssertionError("the daemon never said where it listens")

    def apply(self, document):
        """Carried out by the owner of the lane; until there is one, the answer is 202."""
        request = urllib.request.Request(f"{self.url}/api/outboxes/makegood_outbox/apply",
                                         json.dumps(document).encode(), {"Content-Type": "application/json"})
        until = time.monotonic() + STARTED_WITHIN
        while time.monotonic() < until:
            with urllib.request.urlopen(request, timeout=STARTED_WITHIN) as answer:
                if answer.status == 200:
                    return
        raise AssertionError("nobody owns the lane")

    def close(self):
        self.process.terminate()
        self.process.wait(STOPPED_WITHIN)
        self.reader.join(STOPPED_WITHIN)
        self.process.stdout.close()
