"""Where a request ends is beyond doubt: what can be read in two ways is refused, and its connection closed."""

import os
import re
import shutil
import socket
import subprocess
import unittest

from daemon import GENEROUS_SECONDS, MESSAGES, DaemonCase
from framing import chunk, corpus, head

CONFIGURATION = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 64; }}
http {{
  log_format id '$request_id'; access_log {folder}/ids.log id;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fast;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream makegood {{ server {daemon}; keepalive 4; }}
  server {{
    listen 127.0.0.1:{port}; ignore_invalid_headers off; proxy_request_buffering off;
    location / {{
      proxy_pass http://makegood; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host 127.0.0.1; proxy_set_header X-Request-Id $request_id;
    }}
  }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Line:
    """A connection on which anything can be said."""

    def __init__(self, address):
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), GENEROUS_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def say(self, content):
        try:
            self.socket.sendall(content)
        except (BrokenPipeError, ConnectionResetError):
            pass  # Refused already; what was answered can still be read.

    def hear_all(self):
        """Until the other side closes."""
        heard = b""
        try:
            while piece := self.socket.recv(65536):
                heard += piece
        except ConnectionResetError:
            pass
        return heard


def statuses(heard):
    return [int(part[:3]) for part in heard.split(b"HTTP/1.1 ")[1:]]


class Framing(DaemonCase):
    def smuggled(self, daemon):
        return daemon.ask("GET", f"{MESSAGES}?topic=smuggled").json()["items"]

    def test_refuses_what_can_be_read_in_two_ways_and_closes(self):
        daemon = self.start_ready()
        for what, content in corpus():
            with self.subTest(what), Line(daemon.address) as line:
                line.say(content)
                self.assertEqual(statuses(line.hear_all()), [400])
        self.assertEqual(self.smuggled(daemon), [])

    def test_refuses_it_on_a_connection_that_has_been_used(self):
        daemon = self.start_ready()
        for what, content in corpus():
            with self.subTest(what), Line(daemon.address) as line:
                line.say(head(method="HEAD") + content)
                self.assertEqual(statuses(line.hear_all()), [200, 400])
        self.assertEqual(self.smuggled(daemon), [])

    def test_still_understands_chunks(self):
        daemon = self.start_ready()
        body = b'{"topic": "order.placed", "payload": {}}'
        for coding in ("chunked", "Chunked", " chunked \t"):
            with Line(daemon.address) as line:
                line.say(head(f"Transfer-Encoding:{coding}", "Content-Type: application/json", "Connection: close",
                              target=MESSAGES) + chunk(body) + b"0\r\n\r\n")
                self.assertEqual(statuses(line.hear_all()), [201], coding)


@unittest.skipUnless(shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin"),
                     "nginx is not installed (Debian package nginx)")
class BehindNginx(Framing):
    """Every request that the daemon answers is one that nginx has read, and was answered to the one who sent it."""

    def start_ready(self, *flags, **more):
        daemon = super().start_ready("--set", "server.access_log=true", *flags, **more)
        self.front = f"127.0.0.1:{self.start_nginx(daemon.address)}"
        return daemon

    def start_nginx(self, address):
        port = free_port()
        self.write("nginx.conf", CONFIGURATION.format(folder=self.folder, daemon=address, port=port))
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        nginx = subprocess.Popen([program, "-p", self.folder, "-c", self.path("nginx.conf"), "-e",
                                  self.path("nginx.log")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)
        self.await_(lambda: self.answers(port), "nginx answers")
        return port

    def answers(self, port):
        try:
            with Line(f"127.0.0.1:{port}") as line:
                line.say(head("Connection: close", method="GET"))
                return statuses(line.hear_all()) == [200]
        except ConnectionRefusedError:
            return False

    def answered_beside_nginx(self, daemon):
        """Requests that the daemon has answered and nginx has not written down."""
        with open(self.path("ids.log"), encoding="utf-8") as log:
            read_by_nginx = log.read().split()
        answered = re.findall(r"path=(?!/readyz)\S* status=\d+ ms=\S+ request_id=(\S+)", daemon.log())
        self.assertGreater(len(answered), 1)
        return [request for request in answered if request not in read_by_nginx]

    def assert_nothing_was_smuggled(self, daemon):
        self.await_(lambda: not self.answered_beside_nginx(daemon), "nginx knows of each request that was answered")

    def test_refuses_what_can_be_read_in_two_ways_and_closes(self):
        daemon = self.start_ready()
        for _, content in corpus():
            with Line(self.front) as line:
                line.say(content + head("Connection: close", method="GET"))
                line.hear_all()
        self.assert_nothing_was_smuggled(daemon)

    def test_refuses_it_on_a_connection_that_has_been_used(self):
        """Two callers whom nginx serves over one connection: what one sends is never an answer to the other."""
        daemon = self.start_ready()
        for what, content in corpus():
            with Line(self.front) as first:
                first.say(content)
                first.socket.shutdown(socket.SHUT_WR)
                first.hear_all()
            with self.subTest(what), Line(self.front) as second:
                second.say(head("Connection: close", method="GET"))
                heard = second.hear_all()
                self.assertEqual((statuses(heard), heard[-3:]), ([200], b"ok\n"))
        self.assert_nothing_was_smuggled(daemon)

    def test_still_understands_chunks(self):
        daemon = self.start_ready()
        body = b'{"topic": "order.placed", "payload": {}}'
        with Line(self.front) as line:
            line.say(head("Transfer-Encoding: chunked", "Content-Type: application/json", "Connection: close",
                          target=MESSAGES) + chunk(body) + b"0\r\n\r\n")
            self.assertEqual(statuses(line.hear_all()), [201])
        self.assert_nothing_was_smuggled(daemon)


if __name__ == "__main__":
    unittest.main()
