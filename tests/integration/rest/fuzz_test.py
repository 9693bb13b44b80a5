"""schemathesis reads the OpenAPI document that a running server serves, and calls everything in it in every way it
can think of: no answer is undocumented, and none is the server's fault."""

import os
import subprocess
import sys

from installed import FOLDER, require_packages

require_packages()

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "server"))

# What lies beside. pylint: disable=wrong-import-position
import unittest  # noqa: E402

from daemon import DaemonCase  # noqa: E402

BASE = "/api/outboxes/makegood_outbox"
ENDED_WITHIN = 420
CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
          "response_headers_conformance,unsupported_method,ignored_auth")
TOKEN = "not-much-of-a-secret"


class FuzzTest(DaemonCase):
    def prepare(self, daemon):
        """A destination that refuses, so that there are dead letters to ask about."""
        ask = daemon.ask
        daemon.ask = lambda *call, **more: ask(*call, token=TOKEN, **more)
        receiver = self.receiver()
        receiver.answer = lambda body: 404
        self.route_to(daemon, receiver)
        for _ in range(3):
            self.assertEqual(daemon.enqueue().status, 201)
        self.await_(lambda: len(daemon.ask("GET", f"{BASE}/dead").json()["items"]) == 3, "three dead letters")
        saga = {"steps": [{"name": "create", "action": "http:orders/create", "effect": "none"}]}
        self.assertEqual(daemon.ask("PUT", "/api/saga/definitions/orderProcess", saga).status, 200)

    def test_finds_no_undocumented_answer_and_no_fault(self):
        daemon = self.start_ready(MAKEGOOD_TOKENS=f"operator fuzz {TOKEN}")
        self.prepare(daemon)
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", os.path.join(HERE, "schemathesis.toml"),
                   "run", f"http://{daemon.address}/api/openapi.yaml", "--checks", CHECKS,
                   "--header", f"Authorization: Bearer {TOKEN}", "--phases", "examples,coverage,fuzzing",
                   "--request-timeout", "20", "--no-color"]
        done = subprocess.run(command, cwd=self.folder, env={**os.environ, "PYTHONPATH": FOLDER}, capture_output=True,
                              text=True, timeout=ENDED_WITHIN, check=False)
        print(done.stdout[-3000:])
        self.assertEqual(done.returncode, 0, done.stdout[-12000:] + done.stderr[-2000:])
        self.assertEqual(daemon.ask("GET", "/healthz").status, 200)


if __name__ == "__main__":
    unittest.main()
