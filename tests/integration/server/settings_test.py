"""What the configuration says is what the daemon does: destinations, enqueue, HTTP."""

import base64
import hashlib
import hmac
import json
import os
import subprocess
import time
import unittest

from daemon import PROGRAM, DaemonCase, clean_environment

OUTBOX = "/api/outboxes/makegood_outbox"
BILLING = f"{OUTBOX}/destinations/http:billing"
KEY = b"a key of thirty-two bytes, or so"


class NewDestinations(DaemonCase):
    def retry_of(self, daemon, name):
        return daemon.ask("GET", f"{OUTBOX}/destinations/{name}").json()["retry"]

    def dead(self, daemon):
        return daemon.ask("GET", f"{OUTBOX}/dead").json()["items"]

    def test_have_the_attempts_of_the_environment(self):
        daemon, receiver = self.start_ready(OUTBOX_RELAY_MAX_ATTEMPTS="1"), self.receiver()
        receiver.answer = lambda _: 500
        self.route_to(daemon, receiver)
        daemon.enqueue()
        self.await_(lambda: self.dead(daemon), "it is dead")
        self.assertEqual([(letter["attempts"], letter["answered"]) for letter in self.dead(daemon)], [(1, 1)])
        self.assertEqual(len(receiver.bodies), 1)
        self.assertRegex(daemon.log(), "max_attempts=1 from=.*OUTBOX_RELAY_MAX_ATTEMPTS.*only answered attempts count")

    def test_count_no_attempt_that_was_not_answered(self):
        daemon, receiver = self.start_ready("--set", "tx.outbox.backoff.base_ms=5", OUTBOX_RELAY_MAX_ATTEMPTS="1"), \
            self.receiver()
        receiver.answer = lambda _: 503
        self.route_to(daemon, receiver)
        daemon.enqueue()
        self.await_(lambda: len(receiver.bodies) > 3, "it is sent again and again")
        self.assertEqual(self.dead(daemon), [])
        receiver.answer = lambda _: 200
        self.await_(lambda: daemon.ask("GET", f"{OUTBOX}/messages/1").json()["state"] == "done", "it has arrived")

    def test_have_every_policy_of_the_file(self):
        self.write("makegood.yaml", "tx.outbox: {dispatch_timeout_ms: 7s, ordering: skip, in_flight_max: 3,\n"
                                    "  rate_max: 9, schedule_ms: [10, 20], retry_after_max_ms: 1s,\n"
                                    "  disable_after_ms: 1h,\n"
                                    "  backoff: {base_ms: 5, factor: 3, jitter: 0.5, cap_ms: 50},\n"
                                    "  circuit: {failures_max: 4, wait_min_ms: 11, wait_max_ms: 12}}\n")
        daemon = self.start_ready()
        self.settle(daemon, daemon.ask("PUT", BILLING, {"http": {"url": "http://127.0.0.1:1/"}}))
        stored = daemon.ask("GET", BILLING).json()
        self.assertEqual({name: stored[name] for name in ("timeout_ms", "ordering", "in_flight_max", "rate_max")},
                         {"timeout_ms": 7000, "ordering": "skip", "in_flight_max": 3, "rate_max": 9})
        self.assertIn("is now called tx.outbox.unreachable_for_ms", daemon.log())
        self.assertEqual(stored["retry"], {"attempts_max": 12, "base_ms": 5, "factor": 3, "jitter": 0.5, "cap_ms": 50,
                                           "schedule_ms": [10, 20], "retry_after_max_ms": 1000,
                                           "unreachable_for_ms": 3_600_000})
        self.assertEqual(stored["circuit"], {"failures_max": 4, "wait_min_ms": 11, "wait_max_ms": 12})

    def test_are_those_that_are_put_after_a_reload(self):
        self.write("makegood.yaml", "tx.outbox: {max_attempts: 5}\n")
        daemon = self.start_ready()
        document = {"http": {"url": "http://127.0.0.1:1/"}}
        self.settle(daemon, daemon.ask("PUT", f"{OUTBOX}/destinations/http:old", document))
        self.write("makegood.yaml", "tx.outbox: {max_attempts: 6}\n")
        self.await_(lambda: "tx.outbox.max_attempts from 5 to 6" in daemon.log(), "the change is told")
        self.settle(daemon, daemon.ask("PUT", f"{OUTBOX}/destinations/http:new", document))
        self.assertEqual(self.retry_of(daemon, "http:new")["attempts_max"], 6)
        self.assertEqual(self.retry_of(daemon, "http:old")["attempts_max"], 5, "what is stored stays")


class Enqueue(DaemonCase):
    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.json().get("code")), (status, code), answer.body)
        return answer.json()["detail"]

    def test_refuses_what_is_larger_than_allowed(self):
        daemon = self.start_ready(MAKEGOOD_TX_OUTBOX_PAYLOAD_BYTES_MAX="100")
        secret = "x" * 101
        told = self.refused(daemon.enqueue(payload=secret), 413, "TX.PAYLOAD_TOO_LARGE")
        self.assertEqual(told, "The content has 103 bytes; the limit is 100.")
        self.assertEqual(daemon.enqueue(payload="x" * 98).status, 201)

    def test_takes_what_is_larger_than_usual_where_that_is_allowed(self):
        daemon, receiver = self.start_ready("--set", "tx.outbox.payload_bytes_max=1MiB"), self.receiver()
        self.route_to(daemon, receiver)
        self.assertEqual(daemon.enqueue(payload="x" * 500_000).status, 201)
        self.await_(lambda: receiver.bodies, "it arrives")
        self.assertEqual(len(receiver.bodies[0][1]), 500_002)

    def test_refuses_payloads_that_do_not_follow_their_schema(self):
        self.write("order.json", '{"type": "object", "required": ["order"]}')
        self.write("makegood.yaml", 'tx.outbox.schemas: {"order.*": order.json}\n')
        daemon = self.start_ready()
        self.refused(daemon.enqueue(payload={"secret": 1}), 422, "SCHEMA.VALIDATION_FAILED")
        self.assertEqual(daemon.enqueue(payload={"order": 1}).status, 201)
        self.assertEqual(daemon.enqueue("mail.sent", payload={"secret": 1}).status, 201, "it has no schema")

    def test_refuses_topics_of_another_form(self):
        daemon = self.start_ready(MAKEGOOD_TX_OUTBOX_TOPIC_GRAMMAR="versioned")
        self.assertIn("<module>.<aggregate>.<event>.vN",
                      self.refused(daemon.enqueue("order.placed"), 400, "REQUEST.INVALID"))
        self.assertEqual(daemon.enqueue("shop.order.placed.v1").status, 201)

    def test_names_the_one_of_many_and_takes_none(self):
        daemon = self.start_ready(MAKEGOOD_TX_OUTBOX_PAYLOAD_BYTES_MAX="10")
        many = {"messages": [{"topic": "a", "payload": 1}, {"topic": "a", "payload": "0123456789"}]}
        told = self.refused(daemon.ask("POST", f"{OUTBOX}/messages", many), 413, "TX.PAYLOAD_TOO_LARGE")
        self.assertTrue(told.startswith("messages[1]: "), told)
        self.assertEqual(daemon.ask("GET", f"{OUTBOX}/messages").json()["items"], [])

    def test_lets_expire_what_says_nothing_of_it(self):
        daemon = self.start_ready(MAKEGOOD_TX_OUTBOX_EXPIRE_AFTER_MS="1")
        own = daemon.enqueue(expires_at="2099-01-01T00:00:00Z").json()
        message = daemon.ask("GET", f"{OUTBOX}/messages/{own['sequence']}").json()
        self.assertEqual(message["expires_at"], "2099-01-01T00:00:00.000Z")
        receiver = self.receiver()
        self.route_to(daemon, receiver)
        late = daemon.enqueue(available_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60)))
        self.await_(lambda: daemon.ask("GET", f"{OUTBOX}/messages/{late.json()['sequence']}").json()["state"] == "dead",
                    "it is dead")
        dead = [letter["error_code"] for letter in daemon.ask("GET", f"{OUTBOX}/dead").json()["items"]
                if letter["sequence"] == late.json()["sequence"]]
        self.assertEqual(dead, ["TX.EXPIRED"])


class Tenants(DaemonCase):
    def document(self, receiver):
        return {"tenant_id": "acme", "http": {"url": receiver.url, "signing_keys": [f"file:{self.path('acme')}/key"]}}

    def allow(self, receiver):
        port = receiver.url.rsplit(":")[-1].strip("/")
        self.write("makegood.yaml", json.dumps({"http": {
            "tenant_networks": ["127.0.0.0/8"], "tenant_ports": [443, int(port)],
            "tenant_secrets": [f"file:{self.folder}/{{tenant}}/"]}}))

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("acme"))
        self.write("acme/key", "whsec_" + base64.b64encode(KEY).decode() + "\n")

    def routes(self, daemon):
        self.settle(daemon, daemon.ask("PUT", f"{OUTBOX}/routes", {
            "routes": [{"pattern": "order.*", "destination": "http:billing"}], "reason": "a try"}))

    def test_have_no_private_networks_unless_they_are_allowed(self):
        daemon = self.start_ready()
        answer = daemon.ask("PUT", BILLING, {"tenant_id": "acme", "http": {"url": "http://127.0.0.1/"}})
        self.assertEqual(answer.status, 400)
        self.assertIn("`http.tenant_networks`", answer.json()["detail"])

    def test_have_those_that_are_allowed_with_secrets_of_their_own(self):
        receiver = self.receiver()
        self.allow(receiver)
        daemon = self.start_ready()
        self.settle(daemon, daemon.ask("PUT", BILLING, self.document(receiver)))
        self.routes(daemon)
        daemon.enqueue(tenant_id="acme")
        self.await_(lambda: receiver.bodies, "it arrives")
        headers, (event_id, body) = receiver.headers[0], receiver.bodies[0]
        signed = f"{event_id}.{headers['webhook-timestamp']}.".encode() + body
        signature = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
        self.assertEqual(headers["webhook-signature"], f"v1,{signature}")

    def test_lose_what_they_had_when_it_is_no_longer_allowed(self):
        receiver = self.receiver()
        self.allow(receiver)
        daemon = self.start_ready()
        self.settle(daemon, daemon.ask("PUT", BILLING, {"tenant_id": "acme", "http": {"url": receiver.url}}))
        self.routes(daemon)
        daemon.end()
        self.write("makegood.yaml", "http: {tenant_ports: [443]}\n")
        daemon = self.start_ready()
        daemon.enqueue(tenant_id="acme")
        self.await_(lambda: daemon.ask("GET", f"{OUTBOX}/dead").json()["items"], "it is dead")
        letter, = daemon.ask("GET", f"{OUTBOX}/dead").json()["items"]
        self.assertEqual(letter["error_code"], "TX.REJECTED")
        self.assertIn("`http.tenant_networks`", letter["last_error"])
        self.assertEqual(receiver.bodies, [])

    def test_are_told_of_at_the_start_when_their_settings_are_wrong(self):
        self.write("makegood.yaml", "http:\n  tenant_networks: [10.0.0.0/8, 10.0.0.0/99]\n  tenant_ports: [0]\n"
                                    "  tenant_secrets: ['/run/secrets']\n  dns_servers: [localhost]\n")
        done = subprocess.run([PROGRAM, "serve", "--listen", "127.0.0.1:0"], cwd=self.folder, env=clean_environment(),
                              capture_output=True, encoding="utf-8", timeout=60, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        for line in ("makegood.yaml:2: http.tenant_networks '10.0.0.0/99' is not a network; allowed: ",
                     "makegood.yaml:3: http.tenant_ports '[0]' has '0', which is out of range; allowed: ",
                     "makegood.yaml:4: http.tenant_secrets '[/run/secrets]' has '/run/secrets', which is not the",
                     "makegood.yaml:5: http.dns_servers 'localhost' is not an address; allowed: "):
            self.assertIn(line, done.stderr)


class Registration(DaemonCase):
    def refusals(self, daemon, http, **more):
        """What PUT and apply say of the same document."""
        document = {"name": "http:billing", "http": http, **more}
        put = daemon.ask("PUT", BILLING, document)
        applied = daemon.ask("POST", f"{OUTBOX}/apply", {"destinations": [document]})
        for answer in (put, applied):
            self.assertEqual((answer.status, answer.json()["code"]), (400, "REQUEST.INVALID"), answer.body)
        self.assertEqual(daemon.ask("GET", BILLING).status, 404)
        return put.json()["detail"], applied.json()["detail"]

    def test_refuses_what_would_never_be_sent(self):
        daemon = self.start_ready()
        url = "https://hooks.example.com/"
        for words, http, more in (
                ("no setting allows it", {"url": "http://169.254.169.254/latest"}, {}),
                ("no setting allows it", {"url": "http://metadata.google.internal/"}, {}),
                ("`http.tenant_networks`", {"url": "http://127.0.0.1/"}, {"tenant_id": "acme"}),
                ("`http.tenant_networks`", {"raw_prefixes": ["http://10.0.0.1/in"]}, {}),
                ("`http.tenant_ports`", {"url": "https://hooks.example.com:22/"}, {"tenant_id": "acme"}),
                ("`http.tenant_secrets`", {"url": url, "signing_keys": ["env:PATH"]}, {"tenant_id": "acme"}),
                ("belongs in secret_headers", {"url": url, "headers": {"authorization": "Basic c2VjcmV0"}}, {}),
                ("belongs in secret_headers", {"url": url, "headers": {"Cookie": "id=c2VjcmV0"}}, {})):
            with self.subTest(words=words, http=http):
                for told in self.refusals(daemon, http, **more):
                    self.assertIn(words, told)
                    self.assertNotIn("c2VjcmV0", told)


if __name__ == "__main__":
    unittest.main()
