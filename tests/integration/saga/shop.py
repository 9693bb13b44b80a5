"""A daemon that runs sagas, and the services of a shop as its participants."""

import http.client
import http.server
import json
import os
import sys
import threading
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))

from server import ServerCase  # noqa: E402, the path is made above
from store import STORE  # noqa: E402

SAGAS = {
    "name": "orderProcess",
    "output": {"order": "${createOrder.orderId}"},
    "steps": [
        {"name": "createOrder", "action": "http:shop/orders/create", "compensation": "http:shop/orders/cancel"},
        {"parallel": [
            {"name": "reserveStock", "action": "http:shop/stock/reserve", "compensation": "http:shop/stock/release"},
            {"name": "payment", "action": "http:shop/payments/charge", "compensation": "http:shop/payments/refund",
             "on_failure": {"RISK_CHECK_FAILED": {"manual": "needs review"}}},
        ]},
        {"name": "confirm", "action": "http:shop/stock/confirm", "pivot": True},
    ],
}


class Services:
    """Answers 200 with `{"orderId": …}`, unless a path has another answer. Keeps what it was asked."""

    def __init__(self):
        self.calls = []
        self.answers = {}
        self.arrived = threading.Condition()
        services = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802, the name is given
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, answer = services.take(self.path, self.headers, body)
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def take(self, path, headers, body):
        with self.arrived:
            self.calls.append((path, dict(headers.items()), json.loads(body or b"null")))
            self.arrived.notify_all()
            return self.answers.get(path, (200, {"orderId": "ORD-1"}))

    def paths(self):
        with self.arrived:
            return [path for path, _, _ in self.calls]

    def await_call(self, path):
        """The headers of the first request there."""
        with self.arrived:
            is_there = self.arrived.wait_for(lambda: any(call[0] == path for call in self.calls), timeout=20)
            assert is_there, f"nobody called {path}"
            return next(headers for called, headers, _ in self.calls if called == path)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class ShopCase(ServerCase):
    def prepare(self):
        self.succeed("migrate", "--saga-log", "makegood_saga", *STORE)
        self.services = Services()
        self.addCleanup(self.services.close)

    def setUp(self):
        super().setUp()
        self.ask("PUT", "/api/outboxes/makegood_outbox/destinations/http:shop",
                 {"http": {"url": self.services.url + "/"}})
        status, answer = self.ask("PUT", "/api/saga/definitions/orderProcess", SAGAS)
        self.assertEqual(status, 200, answer)

    def ask(self, method, path, body=None, **headers):
        return self.ask_at(self.server[1] + path, method, body, **headers)

    @staticmethod
    def ask_at(url, method, body=None, **headers):
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            headers["Content-Type"] = "application/json"
        target = parts.path + ("?" + parts.query if parts.query else "")
        try:
            connection.request(method, target, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def execute(self, identity, **more):
        body = {"chainName": "orderProcess", "id": identity, "inputData": {"userId": 1001}, "wait": 20, **more}
        return self.ask("POST", "/api/saga/execute", body)

    def show(self, identity):
        return self.ask("GET", f"/api/saga/executions/{identity}")[1]

    def await_state(self, identity, *states):
        self.await_that(lambda: self.show(identity)["state"] in states)
        return self.show(identity)
