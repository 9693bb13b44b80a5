"""The attacks on the server's framing, against the proxy alone and behind nginx: what can be read in two ways reaches
the service in no way. The service keeps a ledger of every request that it has read."""

import os
import shutil
import socket
import subprocess
import sys
import unittest

from stage import HERE, ProxyCase

sys.path.insert(0, os.path.join(HERE, "..", "server"))

from framing import chunk, corpus, head, smuggled  # noqa: E402
from framing_test import CONFIGURATION, Line, free_port, statuses  # noqa: E402

# The connection that carried one of these is closed by the proxy; nothing behind it is read.
KEYED = ("Idempotency-Key: k",)


class Framing(ProxyCase):
    def start(self, *flags, **more):
        return super().start("--no-principal", "--path", "/**", *flags, **more)

    def assert_nothing_came(self):
        self.assertEqual(self.service.effects(), [])

    def attack(self, address, content):
        with Line(address) as line:
            line.say(content)
            return statuses(line.hear_all())

    def test_refuses_what_can_be_read_in_two_ways_and_closes(self):
        proxy = self.start()
        for authorization in ((), KEYED):
            for what, content in corpus(authorization):
                with self.subTest(what):
                    self.assertEqual(self.attack(proxy.address, content), [400])
        self.assert_nothing_came()

    def test_refuses_it_on_a_connection_that_has_been_used(self):
        proxy = self.start()
        asked = 0
        for what, content in corpus():
            with self.subTest(what):
                self.assertEqual(self.attack(proxy.address, head(method="GET", target="/ok") + content), [200, 400])
            asked += 1
        self.assertEqual({(effect["method"], effect["path"]) for effect in self.service.effects()}, {("GET", "/ok")})
        self.assertEqual(len(self.service.effects()), asked)

    def test_still_understands_chunks(self):
        proxy = self.start()
        for lines in ((), KEYED):
            self.assertEqual(self.attack(proxy.address, head("Transfer-Encoding: chunked", "Connection: close", *lines,
                                                             target="/ok") + chunk(b"ab") + chunk(b"c") + b"0\r\n\r\n"),
                             [200])
        self.assertEqual([effect["body"] for effect in self.service.effects()], ["abc", "abc"])

    def test_a_request_inside_of_a_body_is_a_body(self):
        proxy = self.start()
        inner = smuggled(())
        for lines in ((), KEYED):
            self.attack(proxy.address, head(f"Content-Length: {len(inner)}", "Connection: close", *lines,
                                            target="/ok") + inner)
        self.assertEqual({effect["path"] for effect in self.service.effects()}, {"/ok"})

    def test_what_connection_names_is_left_out_but_never_the_framing(self):
        proxy = self.start()
        content = head("Content-Length: 3", "Connection: close, Content-Length, Host, X-Mine", "X-Mine: 1",
                       target="/ok")
        self.assertEqual(self.attack(proxy.address, content + b"abc"), [200])
        effect = self.service.effects()[0]
        names = [name.lower() for name, _ in effect["headers"]]
        self.assertEqual((effect["body"], names.count("content-length"), names.count("host")), ("abc", 1, 1))
        self.assertNotIn("x-mine", names)

    def test_targets_that_are_no_path_are_refused(self):
        proxy = self.start()
        for method, target in (("GET", "http://other/x"), ("CONNECT", "other:443"), ("GET", "x"), ("POST", "*")):
            self.assertEqual(self.attack(proxy.address, head("Content-Length: 0", "Connection: close", method=method,
                                                             target=target)), [400])
        self.assert_nothing_came()


@unittest.skipUnless(shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin"),
                     "nginx is not installed (Debian package nginx)")
class BehindNginx(ProxyCase):
    """Two clients whom nginx serves over one connection: what one sends is never an answer to the other, and every
    request that the service has read is one that nginx has read."""

    def start_nginx(self, address):
        port = free_port()
        self.write("nginx.conf", CONFIGURATION.format(folder=self.folder, daemon=address, port=port))
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        nginx = subprocess.Popen([program, "-p", self.folder, "-c", os.path.join(self.folder, "nginx.conf"), "-e",
                                  os.path.join(self.folder, "nginx.log")], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)
        self.await_(lambda: self.listens(port), "nginx answers")
        return f"127.0.0.1:{port}"

    def listens(self, port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def test_nothing_is_smuggled(self):
        proxy = self.start("--no-principal", "--path", "/**")
        front = self.start_nginx(proxy.address)
        for what, content in corpus():
            with Line(front) as first:
                first.say(content)
                first.socket.shutdown(socket.SHUT_WR)
                first.hear_all()
            with self.subTest(what), Line(front) as second:
                second.say(head("Connection: close", method="GET", target="/status/202"))
                self.assertEqual(statuses(second.hear_all()), [202])
        with open(os.path.join(self.folder, "ids.log"), encoding="utf-8") as log:
            read_by_nginx = set(log.read().split())
        for effect in self.service.effects():
            headers = {name.lower(): value for name, value in effect["headers"]}
            self.assertIn(headers.get("x-request-id"), read_by_nginx, effect)


if __name__ == "__main__":
    unittest.main()
