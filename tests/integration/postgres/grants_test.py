"""With what `makegood migrate grants` grants, and nothing else, producers enqueue and a node serves."""

import json
import subprocess
import unittest

from place import PROGRAM, clean_environment, events, psql, require_server
from roles import GrantedCase

COLUMNS = "(topic, payload, dispatch_key)"
VALUES = "('order.placed', '1', 'k')"


class Grants(GrantedCase):
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

    def test_suffice_for_sagas(self):
        self.makegood("migrate", "--store", self.url, "--saga-log", "makegood_saga")
        self.assertEqual(self.diagnosis("rights of makegood_outbox"), "wrong", "doctor misses them")
        psql(self.url, "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public, makegood FROM public")
        shop, relay = self.names()
        grants = self.makegood("migrate", "grants", "--producer", shop, "--relay", relay, "--saga-log", "makegood_saga")
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", self.url], input=grants, text=True, check=True,
                       env=clean_environment(), timeout=60)
        self.assertEqual(self.diagnosis("rights of makegood_outbox"), "ok")
        start = "SELECT makegood.start_saga('order', '1', id => 'o-1')"
        self.assertEqual(psql(self.producer, start, start), [("o-1",), ("o-1",)])
        psql(self.producer, "INSERT INTO makegood_saga (topic, event_id, payload) VALUES ('order', 'o-2', '1')")
        self.refuses(self.producer, "SELECT * FROM makegood_saga_journal")
        psql(self.relay, "INSERT INTO makegood_saga_journal VALUES (1, 1, 'x')",
             "INSERT INTO makegood_saga_waiting "
             "VALUES (1, 'default', 'o-1', 'order', 1, 'waiting', 'retry', '', '', '', now())",
             "UPDATE makegood_saga_waiting SET state = 'manual'", "DELETE FROM makegood_saga_waiting",
             "INSERT INTO makegood_saga_end "
             "VALUES (1, 'default', 'o-1', 'order', 1, 'failed', '', '', '', now(), now(), 1, '', '')",
             "DELETE FROM makegood_saga_end", "SELECT callback_key FROM makegood_saga_secret",
             "INSERT INTO makegood_saga_key VALUES ('default', 'k', 1, 'o-1')",
             "UPDATE makegood_saga_key SET execution = 2", "DELETE FROM makegood_saga_key",
             "INSERT INTO makegood_saga_summary VALUES (1, 'default', 'order', 1, 'failed', 1, 1)",
             "UPDATE makegood_saga_upkeep SET folded_to = 1",
             "INSERT INTO makegood_saga_definition VALUES ('order', 1, '1', '', now())")
        for statement in ("UPDATE makegood_saga_journal SET records = ''",
                          "UPDATE makegood_saga_end SET state = 'completed'",
                          "UPDATE makegood_saga_definition SET document = '2'"):
            with self.subTest(statement=statement):
                self.refuses(self.relay, statement)

    def test_suffice_for_keys_and_the_inbox(self):
        self.makegood("migrate", "--idempotency", "--store", self.url)
        psql(self.url, "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM public")
        self.assertEqual(self.diagnosis("rights of makegood_outbox"), "wrong", "doctor misses them")
        self.grant("makegood_outbox")
        self.assertEqual(self.diagnosis("rights of makegood_outbox"), "ok")
        psql(self.producer, "INSERT INTO makegood_idempotency_claim (scope, key, fingerprint, token) "
                            "VALUES ('pay', 'k', 'f', 't')",
             "INSERT INTO makegood_idempotency_finish (scope, key, token, result_digest) VALUES ('pay', 'k', 't', 'd')")
        self.assertEqual(psql(self.producer, "SELECT outcome FROM makegood_idempotency_claim('pay', 'k', 'f')",
                              "SELECT outcome FROM makegood_idempotency_once('pay', 'k2', 'f', digest => 'd')"),
                         [("hit",), ("fresh",)])
        seen = "SELECT makegood_inbox_seen('billing', 'shop', 'default', 'e', now())"
        self.assertEqual(psql(self.producer, seen, seen), [("fresh",), ("repeat",)])
        psql(self.producer, "INSERT INTO makegood_inbox (consumer, event_id, event_time) "
                            "VALUES ('billing', 'e2', now())")
        for statement in ("DELETE FROM makegood_idempotency", "TRUNCATE makegood_inbox",
                          "UPDATE makegood_inbox_watermark SET purged_to = now()"):
            self.refuses(self.producer, statement)
        for verb in (["list"], ["show", "k", "--scope", "pay"], ["forget", "k", "--scope", "pay"], ["purge"]):
            self.makegood("idempotency", *verb, "--store", self.relay)

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

    def diagnosis(self, check):
        done = subprocess.run([PROGRAM, "doctor", "--json", "--store", self.relay], env=clean_environment(), timeout=60,
                              capture_output=True, text=True, check=False)
        return {one["check"]: one["state"] for one in json.loads(done.stdout)["diagnoses"]}[check]

    def test_by_an_owner_who_is_no_administrator_lack_one_and_say_so(self):
        database, relay = self.url.rsplit("/", 1)[1], self.names()[1]
        owner = self.make_role(f"owner {database}")
        psql(self.url, f'GRANT CREATE ON DATABASE {database} TO "owner {database}"',
             f'REVOKE pg_read_all_stats FROM "{relay}"')
        self.makegood("migrate", "--store", owner, "--outbox", "billing.outbox")
        self.assertIn("An administrator has to grant pg_read_all_stats", self.grant("billing.outbox", owner))
        self.assertEqual(self.diagnosis("sessions"), "warning")

    def test_suffice_for_the_command_line_and_doctor_says_so(self):
        for check in ("rights of makegood_outbox", "sessions"):
            self.assertEqual(self.diagnosis(check), "ok")
        for verb in (["status"], ["outbox", "list"], ["dead", "list"], ["migrate", "check"], ["migrate"]):
            self.makegood(*verb, "--store", self.relay)
        self.refuses(self.relay, "ALTER TABLE makegood_outbox ADD COLUMN x int", "must be owner")
        self.refuses(self.relay, "UPDATE makegood_outbox SET topic = 'x'")
        self.refuses(self.relay, "CREATE TABLE public.mine (a int)")

    def test_name_the_schema_where_there_is_one(self):
        self.makegood("migrate", "--store", self.url, "--outbox", "billing.outbox")
        self.grant("billing.outbox")
        psql(self.producer, f"INSERT INTO billing.outbox {COLUMNS} VALUES {VALUES}")
        self.makegood("status", "--store", self.relay, "--outbox", "billing.outbox")


if __name__ == "__main__":
    require_server()
    unittest.main()
