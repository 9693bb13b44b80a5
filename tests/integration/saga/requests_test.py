"""What a call of a saga has beside its body, as every delivery has: signature, secret headers, guarded addresses."""

import base64
import hashlib
import hmac
import json
import os
import unittest

from ground import DaemonCase, Participants, step

KEY = b"0123456789abcdef0123456789abcdef"
DESTINATION = "/api/outboxes/makegood_outbox/destinations/http:shop"


class Calls(DaemonCase):
    def setUp(self):
        super().setUp()
        self.shop = Participants().open()
        self.addCleanup(self.shop.close)
        os.mkdir(self.path("acme"))
        self.write("acme/key", "whsec_" + base64.b64encode(KEY).decode() + "\n")
        self.write("acme/token", "Bearer 6f2c\n")

    def allow(self, **more):
        self.write("makegood.yaml", json.dumps({"http": {
            "tenant_networks": ["127.0.0.0/8"], "tenant_ports": [443, self.shop.port],
            "tenant_secrets": [f"file:{self.folder}/{{tenant}}/"], **more}}))

    def register(self, daemon, **http):
        self.settle(daemon, daemon.ask("PUT", DESTINATION, {
            "tenant_id": "acme", "http": {"url": f"http://127.0.0.1:{self.shop.port}/", **http}}))

    def execute(self, daemon, wait=0):
        defined = daemon.ask("PUT", "/api/saga/definitions/order", {"steps": [step("charge", timeout="5s")]})
        self.assertEqual(defined.status, 200, defined.body)
        return daemon.ask("POST", "/api/saga/execute", {
            "definition": "order", "id": "o1", "tenant": "acme", "input": {"cents": 7}, "wait": wait})

    def test_are_signed_and_have_the_secrets_of_their_destination(self):
        self.allow()
        daemon = self.start_ready()
        self.register(daemon, signing_keys=[f"file:{self.path('acme')}/key"],
                      secret_headers={"Authorization": f"file:{self.path('acme')}/token"})
        self.assertEqual(self.execute(daemon, wait=20).json()["state"], "completed")
        call = self.shop.await_calls("/charge")
        headers = call.headers
        self.assertEqual(headers["Authorization"], "Bearer 6f2c")
        self.assertEqual(headers["webhook-id"], headers["Idempotency-Key"].strip('"'))
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + call.raw
        signature = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
        self.assertEqual(headers["webhook-signature"], f"v1,{signature}")
        journal = daemon.ask("GET", "/api/saga/executions/o1/journal?tenant=acme&limit=100")
        self.assertNotIn("6f2c", journal.body.decode())

    def test_are_held_where_their_address_is_not_allowed(self):
        self.allow()
        daemon = self.start_ready()
        self.register(daemon)
        daemon.end()
        self.write("makegood.yaml", "http: {tenant_ports: [443]}\n")
        daemon = self.start_ready()
        self.execute(daemon)

        def attempts():
            shown = daemon.ask("GET", "/api/saga/executions/o1?tenant=acme").json()
            return [attempt for each in shown["steps"] for attempt in each["attempts"]]
        self.await_(lambda: any("`http.tenant_networks`" in (each["error"] or "") for each in attempts()), "it is held")
        journal = daemon.ask("GET", "/api/saga/executions/o1/journal?tenant=acme&limit=100").json()["items"]
        held = [record for record in journal if record["isHeld"]]
        self.assertTrue(held)
        self.assertFalse([record for record in journal if record["kind"] == "turned_back"])
        self.assertIn("Something before the participant of charge of o1 refuses its requests", daemon.log())
        self.assertEqual(self.shop.paths(), [])


if __name__ == "__main__":
    unittest.main()
