"""What a relay on PostgreSQL suffers from is in status and readiness, with its code and the way out."""

import unittest

from place import PostgresCase, insert, psql, require_programs


class LiveAlarms(PostgresCase):
    def setUp(self):
        super().setUp()
        self.inbox = self.receiver()
        self.node = self.start_ready()
        self.route_to(self.node, self.inbox)
        self.enqueue(3)
        self.await_(lambda: len(self.arrived(self.inbox)) == 3, "all arrive")

    def trouble(self, code):
        found = []

        def is_told():
            troubles = self.node.ask("GET", "/api/status").json()["troubles"]
            found[:] = [trouble for trouble in troubles if trouble["code"] == code]
            return found

        self.await_(is_told, f"status tells {code}")
        self.await_(lambda: code in self.node.ask("GET", "/readyz").body.decode(), f"readiness tells {code}")
        whats = [trouble["what"] for trouble in self.node.ask("GET", "/api/status").json()["troubles"]]
        self.assertFalse([what for what in whats if "Nobody owns" in what], "it runs, and has said why not")
        return found[0]

    def expect_well(self):
        self.await_(lambda: self.node.ask("GET", "/readyz").status == 200, "it is ready again")
        self.await_(lambda: self.node.ask("GET", "/api/status").json()["is_ok"], "all is well again")

    def test_tell_of_a_number_that_was_never_drawn(self):
        psql(self.url, """INSERT INTO makegood_outbox (sequence, topic, event_id, payload) OVERRIDING SYSTEM VALUE
                          VALUES (1000, 'order.placed', 'foreign', '{}')""")
        trouble = self.trouble("STORAGE.CORRUPT")
        self.assertEqual(trouble["severity"], "critical")
        self.assertIsNotNone(trouble["since"])

    def test_tell_of_a_table_that_is_gone_until_it_is_back(self):
        psql(self.url, "ALTER TABLE makegood_outbox_turn RENAME TO hidden")
        self.assertEqual(self.trouble("STORAGE.SCHEMA")["severity"], "critical")
        psql(self.url, "ALTER TABLE hidden RENAME TO makegood_outbox_turn")
        self.expect_well()
        psql(self.url, insert("after"))
        self.await_arrival(self.inbox, {"after"})


if __name__ == "__main__":
    require_programs()
    unittest.main()
