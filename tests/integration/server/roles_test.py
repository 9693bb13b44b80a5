"""Who may what: operators, viewers, producers, and who only reads metrics. Those who may not are told of."""

import os
import unittest

from daemon import MESSAGES, DaemonCase

TOKENS = {role: f"0123456789abcdef-{role}" for role in ("operator", "viewer", "producer", "metrics")}
MESSAGE = {"topic": "order.placed", "payload": {"card": "4111"}, "headers": {"x-secret": "of the message"}}
# The status of each call, by role.
MAY = (
    ("POST", MESSAGES, MESSAGE, {"operator": 201, "viewer": 403, "producer": 201, "metrics": 403}),
    ("GET", MESSAGES, None, {"operator": 200, "viewer": 200, "producer": 403, "metrics": 403}),
    ("GET", "/api/status", None, {"operator": 200, "viewer": 200, "producer": 403, "metrics": 403}),
    ("GET", "/metrics", None, {"operator": 200, "viewer": 200, "producer": 403, "metrics": 200}),
    ("GET", "/own/metrics", None, {"operator": 200, "viewer": 200, "producer": 403, "metrics": 200}),
    ("POST", "/api/outboxes/makegood_outbox/pause", {"destination": "http:a"},
     {"viewer": 403, "producer": 403, "metrics": 403}),
    ("POST", "/api/idempotency/claim", {"scope": "pay", "key": "k", "fingerprint": "f"},
     {"producer": 200, "viewer": 403, "metrics": 403}),
    ("POST", "/api/idempotency/forget", {"scope": "pay", "key": "k"}, {"producer": 403, "viewer": 403, "metrics": 403}),
    # Let in, and told that no saga was ever defined here.
    ("POST", "/api/saga/execute", {"definition": "none"}, {"producer": 503, "viewer": 403, "metrics": 403}),
    ("POST", "/api/saga/executions/any/events", {"event": "paid"}, {"viewer": 403, "metrics": 403}),
    ("POST", "/api/saga/executions/any/cancel", {}, {"producer": 403, "viewer": 403, "metrics": 403}),
    ("GET", "/healthz", None, {"operator": 200, "viewer": 200, "producer": 200, "metrics": 200}),
)


class Roles(DaemonCase):
    def start_with_tokens(self):
        self.write("tokens", "".join(f"{role} {role}-name {secret}\n" for role, secret in TOKENS.items()))
        os.chmod(self.path("tokens"), 0o600)
        return self.start_ready("--set", "server.token_file=tokens", "--set", "metrics.path=/own/metrics")

    def test_allow_what_they_are_for_and_no_more(self):
        daemon = self.start_with_tokens()
        for method, path, body, statuses in MAY:
            for role, status in statuses.items():
                with self.subTest(f"{role}: {method} {path}"):
                    self.assertEqual(daemon.ask(method, path, body, token=TOKENS[role]).status, status)

    def test_hide_what_messages_hold_from_a_viewer(self):
        daemon = self.start_with_tokens()
        sequence = daemon.ask("POST", MESSAGES, MESSAGE, token=TOKENS["producer"]).json()["sequence"]
        seen = daemon.ask("GET", f"{MESSAGES}/{sequence}", token=TOKENS["viewer"])
        self.assertTrue(seen.json()["is_content_hidden"])
        self.assertEqual(seen.json()["topic"], "order.placed")
        for secret in (b"4111", b"of the message"):
            self.assertNotIn(secret, seen.body)
            self.assertIn(secret, daemon.ask("GET", f"{MESSAGES}/{sequence}", token=TOKENS["operator"]).body)

    def test_who_is_refused_is_logged_and_counted(self):
        daemon = self.start_with_tokens()
        self.assertEqual(daemon.ask("GET", "/api/jobs").status, 401)
        self.assertEqual(daemon.ask("GET", "/api/jobs", token="0123456789abcdef-guess").status, 401)
        self.assertEqual(daemon.ask("GET", "/api/jobs", token=TOKENS["metrics"]).status, 403)
        self.await_(lambda: daemon.log().count("call refused") == 3, "each has a line")
        self.assertRegex(daemon.log(), r"WARN +call refused +method=GET path=/api/jobs status=403")
        for secret in ("guess", *TOKENS.values()):
            self.assertNotIn(secret, daemon.log())
        metrics = daemon.ask("GET", "/metrics", token=TOKENS["metrics"]).body.decode()
        self.assertIn('tx_http_refused_total{why="unauthorized"} 2\n', metrics)
        self.assertIn('tx_http_refused_total{why="forbidden"} 1\n', metrics)

    def test_a_crowd_at_the_door_does_not_fill_the_log(self):
        daemon = self.start_with_tokens()
        for _ in range(300):
            self.assertEqual(daemon.ask("GET", "/api/jobs").status, 401)
        self.assertLess(daemon.log().count("call refused"), 100)
        self.assertIn('why="unauthorized"} 300\n', daemon.ask("GET", "/metrics", token=TOKENS["viewer"]).body.decode())

    def test_a_file_of_tokens_that_everybody_may_read_is_warned_of(self):
        self.write("tokens", f"operator ann {TOKENS['operator']}\n")
        os.chmod(self.path("tokens"), 0o644)
        daemon = self.start_ready("--set", "server.token_file=tokens")
        self.assertRegex(daemon.log(), r"WARN .*everybody on this machine may read .*tokens; chmod 600")
        os.chmod(self.path("tokens"), 0o600)
        daemon.end()
        os.remove(self.path("serve.log"))
        self.assertNotIn("everybody", self.start_ready("--set", "server.token_file=tokens").log())


if __name__ == "__main__":
    unittest.main()
