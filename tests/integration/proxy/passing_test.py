"""Requests without keys pass as they come; health, metrics and the end of the proxy."""

import http.client
import signal
import socket
import subprocess
import threading
import time
import unittest

from stage import GENEROUS_SECONDS, PROGRAM, ProxyCase, ask, clean_environment

LARGE = 20_000_000


class Passing(ProxyCase):
    def test_every_method_and_answer(self):
        proxy = self.start()
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            answer = proxy.ask(method, "/ok", b"x" if method != "GET" else None)
            self.assertEqual((answer.status, answer.word), (200, None), method)
            self.assertNotIn("X-Hop", answer.headers)
        head = proxy.ask("HEAD", "/ok")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertGreater(int(head.headers["Content-Length"]), 0)
        for path, body in (("/chunks", b"onetwo"), ("/until_end", b"up to the end"), ("/none", b"")):
            self.assertEqual(proxy.ask("GET", path).body, body, path)
        self.assertEqual([effect["method"] for effect in self.service.effects()][:3], ["GET", "POST", "PUT"])

    def test_get_and_upgrade_are_never_keyed(self):
        proxy = self.start("--no-principal", "--path", "/**")
        for _ in range(2):
            self.assertIsNone(proxy.ask("GET", "/ok", None, "k").word)
            self.assertIsNone(proxy.ask("POST", "/ok", b"x", "k", Upgrade="websocket", Connection="upgrade").word)
        self.assertEqual(len(self.service.effects()), 4)

    def test_large_bodies_are_streamed_both_ways(self):
        proxy = self.start()
        self.assertEqual(len(proxy.ask("POST", f"/large/{LARGE}", b"y" * LARGE).body), LARGE)
        self.assertEqual(len(self.service.effects()[0]["body"]), LARGE)
        with open(f"/proc/{proxy.process.pid}/status", encoding="utf-8") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        self.assertLess(peak, 400_000)  # Kilobytes; AddressSanitizer has its share.

    def test_one_connection_carries_many_requests(self):
        proxy = self.start("--no-principal", "--path", "/keyed/**")
        connection = http.client.HTTPConnection(proxy.address, timeout=GENEROUS_SECONDS)
        for i in range(20):
            path = "/keyed/ok" if i % 2 else "/ok"
            connection.request("POST", path, b"x", {"Idempotency-Key": f"k{i}"})
            response = connection.getresponse()
            self.assertEqual((response.status, len(response.read()) > 0), (200, True))
        connection.close()
        self.assertEqual(len(self.service.effects()), 20)

    def test_requests_sent_in_one_go_are_answered_in_order(self):
        proxy = self.start("--no-principal", "--path", "/**")
        host, port = proxy.address.split(":")
        with socket.create_connection((host, int(port)), GENEROUS_SECONDS) as line:
            line.sendall(b"".join(b"POST /status/%d HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nIdempotency-Key: %d\r\n"
                                  b"%s\r\nx" % (status, status, b"Connection: close\r\n" if status == 404 else b"")
                                  for status in (200, 201, 404)))
            heard = b""
            while piece := line.recv(65536):
                heard += piece
        self.assertEqual([int(part[:3]) for part in heard.split(b"HTTP/1.1 ")[1:]], [200, 201, 404])

    def test_a_client_is_invited_to_send_its_body(self):
        proxy = self.start("--no-principal", "--path", "/**")
        host, port = proxy.address.split(":")
        for key in (b"", b"Idempotency-Key: k\r\n"):
            with socket.create_connection((host, int(port)), GENEROUS_SECONDS) as line:
                line.sendall(b"POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n"
                             b"Connection: close\r\n" + key + b"\r\n")
                self.assertEqual(line.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
                line.sendall(b"body")
                self.assertTrue(line.recv(100).startswith(b"HTTP/1.1 200 OK"))
        self.assertEqual([effect["body"] for effect in self.service.effects()], ["body", "body"])

    def test_a_service_that_is_away_is_502(self):
        proxy = self.start()
        self.service.kill()
        self.assertEqual(proxy.ask("GET", "/ok").status, 502)
        self.service.start()
        self.assertEqual(proxy.ask("GET", "/ok").status, 200)

    def test_connections_to_the_service_are_kept_and_replaced_when_it_was_restarted(self):
        proxy = self.start("--no-principal", "--path", "/**")
        for i in range(5):
            first = proxy.ask("POST", "/ok", b"x", f"a{i}").json()["pid"]
            self.service.kill()
            self.service.start()
            answer = proxy.ask("POST", "/ok", b"x", f"b{i}")
            self.assertEqual((answer.status, answer.json()["pid"] != first), (200, True))

    def test_health_and_metrics_are_on_an_address_of_their_own(self):
        proxy = self.start("--no-principal", "--path", "/**", "--admin", "127.0.0.1:0")
        proxy.ask("POST", "/ok", b"x", "k")
        proxy.ask("POST", "/ok", b"x", "k")
        for path in ("/healthz", "/readyz"):
            self.assertEqual(ask(proxy.admin, "GET", path).body, b"ok\n")
        metrics = ask(proxy.admin, "GET", "/metrics").body.decode()
        for line in ('tx_proxy_requests_total{as="replayed"} 1', 'tx_proxy_keys_settled_total{as="store"} 1',
                     'tx_proxy_upstream_total{how="answered"} 1', "tx_proxy_exchanges 0",
                     'tx_idempo_claims_total{outcome="hit"} 1'):
            self.assertIn(line + "\n", metrics)
        self.assertEqual(ask(proxy.admin, "GET", "/other").status, 404)
        self.assertEqual(proxy.ask("GET", "/healthz").json()["body"], "")  # The service's own.

    def test_or_below_a_path_by_choice(self):
        proxy = self.start_with("admin_path: /-/makegood\n")
        self.assertEqual(proxy.ask("GET", "/-/makegood/healthz").body, b"ok\n")
        self.assertEqual(self.service.effects(), [])

    def test_it_ends_with_the_request_under_way(self):
        proxy = self.start("--no-principal", "--path", "/**")
        told = []
        client = threading.Thread(target=lambda: told.append(proxy.ask("POST", "/slow/0.7", b"x", "k")))
        client.start()
        self.await_(lambda: "k" in self.keys(), "it is claimed")
        self.assertEqual(proxy.end(signal.SIGTERM), 0)
        client.join()
        self.assertEqual((told[0].status, told[0].word), (200, "stored"))
        self.assertIn("stopped", proxy.log())

    def keys(self):
        done = subprocess.run([PROGRAM, "idempotency", "list", "--store", self.store], cwd=self.folder,
                              env=clean_environment(), stdout=subprocess.PIPE, encoding="utf-8", check=False)
        return done.stdout

    def test_a_slow_client_loses_its_connection(self):
        proxy = self.start_with("header_timeout: 300ms\nidle_timeout: 300ms\n")
        host, port = proxy.address.split(":")
        for said, heard in ((b"GET / HTTP/1.1\r\n", b"HTTP/1.1 408"), (b"", b"")):
            with socket.create_connection((host, int(port)), GENEROUS_SECONDS) as line:
                began = time.monotonic()
                line.sendall(said)
                self.assertEqual(line.recv(100)[:12], heard)
                self.assertLess(time.monotonic() - began, 5)


if __name__ == "__main__":
    unittest.main()
