"""makegood destinations, on a store nobody owns and on a running server."""

import unittest

from server import ServerCase
from store import STORE, WHO, StoreCase


class OnAStore(StoreCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def test_a_new_one_is_recorded_until_somebody_owns_it(self):
        out = self.succeed("destinations", "add", "http:billing", "--url", "http://127.0.0.1:1/in", "--route",
                           "order.*", *STORE, *WHO)
        self.assertIn("+ destination http:billing", out)
        self.assertIn("+ route order.* -> http:billing", out)
        self.assertIn("Recorded as request 1", out)
        (kind, _, _, who, why), = self.requests()
        self.assertEqual((kind, who, why), ("configure", "ann", "a try"))

    def test_mistakes_are_told_before_anything_is_recorded(self):
        done = self.fail_with(1, "destinations", "add", "http:billing", "--url", "nonsense", *STORE, *WHO)
        self.assertIn("[REQUEST.INVALID]", done.stderr)
        self.assertIn("no duration", self.fail_with(1, "destinations", "add", "http:a", "--url", "http://127.0.0.1/",
                                                    "--timeout", "soon", *STORE, *WHO).stderr)
        self.assertEqual(self.requests(), [])

    def test_what_would_never_be_sent_is_refused(self):
        for words, arguments in (
                ("no setting allows it", ("--url", "http://169.254.169.254/")),
                ("`http.tenant_networks`", ("--url", "http://127.0.0.1/", "--tenant", "acme")),
                ("`http.tenant_networks`", ("--raw-prefix", "http://10.0.0.1/in")),
                ("`http.tenant_secrets`", ("--url", "https://a.example/", "--tenant", "a", "--signing-key", "env:P")),
                ("is not where secrets may be; allowed: file:/run/secrets/", ("--url", "https://a.example/",
                                                                              "--secret-header", "X-A=env:PATH")),
                ("`http.secret_places`", ("--url", "https://a.example/", "--signing-key", "file:/etc/shadow")),
                ("belongs in secret_headers", ("--url", "https://a.example/", "--header", "X-Api-Key=c2VjcmV0"))):
            with self.subTest(words):
                done = self.fail_with(1, "destinations", "add", "http:billing", *arguments, *STORE, *WHO)
                self.assertIn(words, done.stderr)
                self.assertNotIn("c2VjcmV0", done.stderr)
        self.assertEqual(self.requests(), [])

    def test_what_the_configuration_allows_is_taken(self):
        self.succeed("destinations", "add", "http:billing", "--url", "http://127.0.0.1/", "--tenant", "acme",
                     "--signing-key", "env:KEY_acme_1", "--set", "http.tenant_networks=127.0.0.0/8",
                     "--set", "http.tenant_secrets=env:KEY_{tenant}_", *STORE, *WHO)
        self.assertEqual(len(self.requests()), 1)

    def test_unknown_ones_are_refused_with_a_hint(self):
        self.write_routes(("*", "http:billing"))
        for verb in ("enable", "disable", "remove"):
            with self.subTest(verb):
                done = self.fail_with(1, "destinations", verb, "http:biling", *STORE, *WHO)
                self.assertIn("http:billing", done.stderr)

    def test_of_an_old_relay_are_listed_with_their_health(self):
        self.write_routes(("*", "fn:billing"))
        self.write_turn({"reached": 0, "open": [], "under_way": {}, "sides": [
            {"destination": "fn:billing", "why": "paused", "is_paused": True, "reached": 0, "under_way": []}]})
        row = self.succeed("destinations", "list", *STORE).splitlines()[1].split()
        self.assertEqual(row[:2], ["fn:billing", "paused"])


class OnAServer(ServerCase):
    def add(self, endpoint, *arguments):
        return self.succeed("destinations", "add", "http:billing", "--url", endpoint.url, *arguments, *WHO,
                            *self.server)

    def state(self):
        one, = self.json("destinations", "list", *self.server)["items"]
        return one["health"]["state"]

    def test_a_new_one_gets_what_its_routes_lead_to_it(self):
        endpoint = self.endpoint()
        self.assertRegex(self.add(endpoint, "--route", "order.*", "--attempts", "3"), r"Applied \(request \d+\)\.")
        self.succeed("outbox", "enqueue", "order.placed", *self.server)
        self.await_that(lambda: endpoint.topics == ["order.placed"])
        one, = self.json("destinations", "list", *self.server)["items"]
        self.assertEqual((one["retry"]["attempts_max"], one["http"]["url"]), (3, endpoint.url))

    def test_what_has_a_flag_is_as_the_flag_says(self):
        self.add(self.endpoint(), "--schedule", "1s,2m", "--format", "structured", "--ca-file", "/etc/ca.pem",
                 "--client-cert", "/etc/client.pem,/run/secrets/client.key",
                 "--secret-header", "Authorization=env:MAKEGOOD_SECRET_TOKEN")
        one, = self.json("destinations", "list", *self.server)["items"]
        self.assertEqual(one["retry"]["schedule_ms"], [1000, 120_000])
        self.assertEqual(one["http"] | {"url": ""}, {
            "url": "", "secret_headers": {"Authorization": "env:MAKEGOOD_SECRET_TOKEN"}, "format": "structured",
            "ca_file": "/etc/ca.pem", "client_certificate": "/etc/client.pem",
            "client_key": "/run/secrets/client.key"})

    def test_one_for_raw_topics_has_prefixes_instead_of_a_url(self):
        self.succeed("destinations", "add", "http:raw", "--raw-prefix", "https://hooks.example.com/in", "--tenant",
                     "acme", *WHO, *self.server)
        one, = self.json("destinations", "list", *self.server)["items"]
        self.assertEqual((one["tenant_id"], one["http"]), ("acme", {"raw_prefixes": ["https://hooks.example.com/in"]}))

    def test_a_change_leaves_alone_what_it_does_not_name(self):
        self.add(self.endpoint(), "--signing-key", "env:MAKEGOOD_SECRET_KEY", "--timeout", "7s", "--header", "X-A=1")
        self.succeed("destinations", "add", "http:billing", "--rate", "5", *WHO, *self.server)
        one, = self.json("destinations", "list", *self.server)["items"]
        self.assertEqual((one["rate_max"], one["timeout_ms"]), (5, 7000))
        self.assertEqual((one["http"]["signing_keys"], one["http"]["headers"]),
                         (["env:MAKEGOOD_SECRET_KEY"], {"X-A": "1"}))

    def test_a_secret_goes_only_when_that_is_asked_for(self):
        endpoint = self.endpoint()
        self.add(endpoint, "--signing-key", "env:MAKEGOOD_SECRET_KEY", "--rate", "5")
        done = self.fail_with(1, "destinations", "add", "http:billing", "--signing-key", "env:MAKEGOOD_SECRET_OTHER",
                              *WHO, *self.server)
        self.assertIn("would lose signing_keys env:MAKEGOOD_SECRET_KEY", done.stderr)
        self.assertIn("http.signing_keys: ", self.add(endpoint, "--replace"))
        one, = self.json("destinations", "list", *self.server)["items"]
        self.assertEqual((one["rate_max"], one["http"]), (0, {"url": endpoint.url}))

    def test_the_same_again_changes_nothing(self):
        endpoint = self.endpoint()
        self.add(endpoint)
        self.assertIn("No change", self.add(endpoint))
        self.assertIn("~ destination http:billing\n    rate_max: ", self.add(endpoint, "--rate", "5"))

    def test_one_is_tested(self):
        endpoint = self.endpoint()
        self.add(endpoint)
        self.assertIn("has taken a test message", self.succeed("destinations", "test", "http:billing", *self.server))
        self.assertEqual(endpoint.topics, ["makegood.test"])
        endpoint.status = 500
        done = self.fail_with(1, "destinations", "test", "http:billing", *self.server)
        self.assertIn("has not taken a test message (retry", done.stdout)

    def test_one_that_was_gone_gets_what_waited_when_it_is_enabled(self):
        endpoint = self.endpoint(410)
        self.add(endpoint, "--route", "order.*")
        self.succeed("outbox", "enqueue", "order.placed", *self.server)
        self.await_that(lambda: self.state() == "disabled")
        endpoint.status = 200
        self.succeed("destinations", "enable", "http:billing", *WHO, *self.server)
        self.await_that(lambda: endpoint.topics == ["order.placed"] * 2)
        self.await_that(lambda: self.state() == "up")
        self.assertEqual(self.json("dead", "list", *self.server)["items"], [])

    def test_one_is_disabled_enabled_and_removed(self):
        self.add(self.endpoint())
        self.assertIn("is done: the owner of the lane stops sending",
                      self.succeed("destinations", "disable", "http:billing", *WHO, *self.server))
        self.assertEqual(self.state(), "paused")
        self.succeed("destinations", "enable", "http:billing", *WHO, *self.server)
        self.await_that(lambda: self.state() == "up")
        self.succeed("destinations", "remove", "http:billing", *WHO, *self.server)
        self.assertEqual(self.json("destinations", "list", *self.server)["items"], [])


if __name__ == "__main__":
    unittest.main()
