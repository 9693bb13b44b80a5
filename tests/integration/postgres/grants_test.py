"""With what `makegood migrate grants` grants, and nothing else, producers enqueue and a node serves."""

import json
import secrets
import subprocess
import unittest
import urllib.parse

from place import PROGRAM, PostgresCase, clean_environment, events, psql, require_server

PASSWORD = secrets.token_hex(16)
COLUMNS = "(topic, payload, dispatch_key)"
VALUES = "('order.placed', '1', 'k')"


class Grants(PostgresCase):
    outbox = "makegood_outbox"

    def setUp(self):
        super().setUp()
        ending = secrets.token_hex(4)
        self.producer, self.relay = (self.make_role(f"{name} {ending}") for name in ("the shop", "the relay"))
        # Nothing comes from being somebody.
        psql(self.url, "REVOKE ALL ON SCHEMA public, makegood FROM public",
             "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public, makegood FROM public",
             f'GRANT USAGE ON SCHEMA public TO {self.roles()}')
        grants = self.makegood("migrate", "grants", "--producer", f"the shop {ending}", "--relay",
                               f"the relay {ending}", "--outbox", self.outbox)
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", self.url], input=grants, text=True, check=True,
                       env=clean_environment(), timeout=60)

    def make_role(self, name):
        psql(self.url, f"CREATE ROLE \"{name}\" LOGIN PASSWORD '{PASSWORD}' CONNECTION LIMIT 50")
        self.addCleanup(psql, self.url, f'DROP OWNED BY "{name}"', f'DROP ROLE "{name}"')
        at = urllib.parse.urlsplit(self.url)
        return f"postgres://{urllib.parse.quote(name)}:{PASSWORD}@{at.hostname}:{at.port}{at.path}"

    def roles(self):
        names = [urllib.parse.unquote(urllib.parse.urlsplit(url).username) for url in (self.producer, self.relay)]
        return ", ".join(f'"{name}"' for name in names)

    def refuses(self, url, statement, why="permission denied"):
        with self.assertRaisesRegex(AssertionError, why):
            psql(url, statement)

    def test_suffice_for_producers_and_let_them_do_no_more(self):
        insert = f"INSERT INTO makegood_outbox {COLUMNS} VALUES {VALUES}"
        self.assertEqual(psql(self.producer, f"{insert} RETURNING sequence"), [("1",)])
        psql(self.producer, insert, f"{insert} ON CONFLICT (tenant_id, event_id) DO NOTHING")
        self.assertEqual(psql(self.producer, "SELECT was_there FROM makegood_outbox_enqueue('a', '1', event_id => 'e')",
                              "SELECT was_there FROM makegood_outbox_enqueue('a', '1', event_id => 'e')"),
                         [("f",), ("t",)])
        self.assertEqual(psql(self.producer, "SELECT was_there FROM makegood.enqueue('a', '1', event_id => 'e')",
                              "SELECT was_there FROM makegood.enqueue_all('[{\"topic\": \"a\", \"payload\": 2}]')"),
                         [("t",), ("f",)])
        self.refuses(self.producer, "INSERT INTO makegood_outbox (sequence, topic, payload) OVERRIDING SYSTEM VALUE "
                                    "VALUES (9, 'a', '1')")
        self.refuses(self.producer, "COPY makegood_outbox (sequence, topic, payload) FROM STDIN")
        self.refuses(self.producer, "SELECT setval('makegood_outbox_number', 99)")
        for statement in ("UPDATE makegood_outbox SET topic = 'x'", "DELETE FROM makegood_outbox",
                          "SELECT * FROM makegood_outbox_parked", "DELETE FROM makegood_outbox_turn",
                          "INSERT INTO makegood_outbox_request DEFAULT VALUES", "TRUNCATE makegood_outbox"):
            with self.subTest(statement=statement):
                self.refuses(self.producer, statement)

    def test_suffice_for_a_node_from_enqueue_to_dead_letters(self):
        inbox = self.receiver()
        inbox.answer = lambda body: 404 if b'"bad"' in body else 200
        node = self.start(store=self.relay)
        self.route_to(node, inbox)
        for number in (1, 2, 3):
            psql(self.producer, f"INSERT INTO makegood_outbox (topic, event_id, payload) "
                                f"VALUES ('order.placed', 'e-{number}', '1')")
        self.assertEqual(node.enqueue(event_id="e-4").status, 201)
        self.assertEqual(node.enqueue(event_id="e-5", payload="bad").status, 201)
        self.await_arrival(inbox, events(5))
        base = "/api/outboxes/makegood_outbox"
        self.await_(lambda: len(node.ask("GET", f"{base}/dead").json()["items"]) == 1, "one dead letter")
        inbox.answer = lambda body: 200
        replayed = node.ask("POST", f"{base}/dead/replay", {"reason": "mended", "filter": {}})
        self.assertIn(replayed.status, (200, 202), replayed.body)
        self.await_(lambda: not node.ask("GET", f"{base}/dead").json()["items"], "it is replayed")
        self.assertEqual(node.end()[0], 0)
        self.assertNotIn("permission denied", node.log())

    def test_suffice_for_the_command_line_and_doctor_says_so(self):
        done = subprocess.run([PROGRAM, "doctor", "--json", "--store", self.relay], env=clean_environment(), timeout=60,
                              capture_output=True, text=True, check=False)
        checks = {one["check"]: one for one in json.loads(done.stdout)["diagnoses"]}
        self.assertEqual(checks["rights of makegood_outbox"]["state"], "ok")
        for verb in (["status"], ["outbox", "list"], ["dead", "list"], ["migrate", "check"], ["migrate"]):
            self.makegood(*verb, "--store", self.relay)
        self.refuses(self.relay, "ALTER TABLE makegood_outbox ADD COLUMN x int", "must be owner")
        self.refuses(self.relay, "UPDATE makegood_outbox SET topic = 'x'")
        self.refuses(self.relay, "CREATE TABLE public.mine (a int)")

    def test_name_the_schema_where_there_is_one(self):
        self.makegood("migrate", "--store", self.url, "--outbox", "billing.outbox")
        shop, relay = self.roles().replace('"', "").split(", ")
        grants = self.makegood("migrate", "grants", "--producer", shop, "--relay", relay, "--outbox", "billing.outbox")
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", self.url], input=grants, text=True, check=True,
                       env=clean_environment(), timeout=60)
        psql(self.producer, f"INSERT INTO billing.outbox {COLUMNS} VALUES {VALUES}")
        self.makegood("status", "--store", self.relay, "--outbox", "billing.outbox")


if __name__ == "__main__":
    require_server()
    unittest.main()
