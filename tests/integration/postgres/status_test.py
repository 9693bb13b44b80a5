"""What a relay on PostgreSQL suffers from is in status and readiness, with its code and the way out."""

import shlex
import unittest

from place import SERVER, PostgresCase, insert, psql, require_programs
from session import Session


class AlarmCase(PostgresCase):
    FLAGS = ()

    def setUp(self):
        super().setUp()
        self.inbox = self.receiver()
        self.node = self.start_ready(*self.FLAGS)
        self.route_to(self.node, self.inbox)
        self.enqueue(3)
        self.await_(lambda: len(self.arrived(self.inbox)) == 3, "all arrive")

    def trouble(self, code, advice=""):
        """That status tells with this advice; the store has it a moment later than the relay."""
        found = []

        def is_told():
            troubles = self.node.ask("GET", "/api/status").json()["troubles"]
            found[:] = [trouble for trouble in troubles if trouble["code"] == code and advice in trouble["advice"]]
            return found

        self.await_(is_told, f"status tells {code}")
        self.await_(lambda: code in self.node.ask("GET", "/readyz").body.decode(), f"readiness tells {code}")
        whats = [trouble["what"] for trouble in self.node.ask("GET", "/api/status").json()["troubles"]]
        self.assertFalse([what for what in whats if "Nobody owns" in what], "it runs, and has said why not")
        return found[0]

    def expect_well(self):
        self.await_(lambda: self.node.ask("GET", "/readyz").status == 200, "it is ready again")
        self.await_(lambda: self.node.ask("GET", "/api/status").json()["is_ok"], "all is well again")

    def diagnosis(self, trouble):
        """What doctor, which status advises, says is wrong."""
        self.assertEqual(shlex.split(trouble["advice"])[:2], ["makegood", "doctor"])
        return self.run_advice(trouble, exits=(1,))


class LiveAlarms(AlarmCase):
    def test_tell_of_a_sequence_that_draws_in_advance_until_it_is_mended(self):
        psql(self.url, "ALTER SEQUENCE makegood_outbox_number CACHE 20")
        trouble = self.trouble("STORAGE.LOG_CHANGED", "outbox go-on")
        self.assertIn("does not draw one number after the other", trouble["what"])
        psql(self.url, "ALTER SEQUENCE makegood_outbox_number CACHE 1")
        self.run_advice(trouble)
        self.await_(lambda: self.node.ask("GET", "/readyz").status == 200, "it is ready again")
        psql(self.url, insert("after"))
        self.await_arrival(self.inbox, {"after"})

    def test_tell_of_a_counter_that_was_set_back_until_it_is_rewound(self):
        psql(self.url, "SELECT setval('makegood_outbox_number', 1)")
        trouble = self.trouble("STORAGE.COUNTER_BEHIND", "outbox rewind")
        self.run_advice(trouble)
        trouble = self.trouble("STORAGE.CORRUPT")
        self.assertIn("never drew", trouble["what"])
        told = self.diagnosis(trouble)
        psql(self.url, told.partition("If the counter was set back: ")[2].splitlines()[0])
        self.expect_well()
        psql(self.url, insert("after"))
        self.await_arrival(self.inbox, {"after"})
        self.assertEqual(len(self.arrived(self.inbox)), 7, "three, the same three again, and the one afterwards")

    def test_tell_of_a_log_that_was_emptied_until_it_is_rewound(self):
        psql(self.url, "ALTER TABLE makegood_outbox DISABLE TRIGGER USER", "DELETE FROM makegood_outbox")
        self.run_advice(self.trouble("STORAGE.LOG_CHANGED", "outbox rewind"))
        self.expect_well()
        psql(self.url, insert("after"))
        self.await_arrival(self.inbox, {"after"})

    def test_tell_of_a_number_that_was_never_drawn(self):
        psql(self.url, """INSERT INTO makegood_outbox (sequence, topic, event_id, payload) OVERRIDING SYSTEM VALUE
                          VALUES (1000, 'order.placed', 'foreign', '{}')""")
        trouble = self.trouble("STORAGE.CORRUPT")
        self.assertEqual(trouble["severity"], "critical")
        self.assertIsNotNone(trouble["since"])
        told = self.diagnosis(trouble)
        psql(self.url, told.partition("If somebody wrote the number: ")[2].partition(". If ")[0])
        self.expect_well()
        psql(self.url, insert("after"))
        self.await_arrival(self.inbox, {"after"})
        self.assertNotIn("foreign", self.arrived(self.inbox))

    def test_tell_of_a_sequence_that_was_altered_until_somebody_has_looked(self):
        def told():
            troubles = self.node.ask("GET", "/api/status").json()["troubles"]
            return [trouble for trouble in troubles if "sequence was altered or restarted" in trouble["what"]]

        psql(self.url, "VACUUM FULL makegood_outbox")
        self.assertFalse(told(), "the log's own file says nothing")
        psql(self.url, "ALTER SEQUENCE makegood_outbox_number CACHE 1")
        self.assertEqual([trouble["severity"] for trouble in told()], ["warning"])
        psql(self.url, insert("still"))
        self.await_arrival(self.inbox, {"still"})
        diagnosis = self.run_advice(told()[0]).partition("warning  copy of makegood_outbox")[2]
        self.assertIn("its log's sequence was altered", diagnosis.splitlines()[0])
        self.run_advice({"advice": diagnosis.splitlines()[1].partition("record the sequence as it is: ")[2]})
        self.assertFalse(told())

    def test_tell_of_a_table_that_is_gone_until_it_is_back(self):
        psql(self.url, "ALTER TABLE makegood_outbox_turn RENAME TO hidden")
        self.assertEqual(self.trouble("STORAGE.SCHEMA")["severity"], "critical")
        psql(self.url, "ALTER TABLE hidden RENAME TO makegood_outbox_turn")
        self.expect_well()
        psql(self.url, insert("after"))
        self.await_arrival(self.inbox, {"after"})

    def test_tell_of_tables_that_were_never_made_until_they_are(self):
        self.url = self.make_database(SERVER)
        self.node = self.start("--no-migrate", store=self.url)
        self.run_advice(self.trouble("STORAGE.SCHEMA", "makegood migrate"))
        self.expect_well()
        self.route_to(self.node, self.inbox)
        psql(self.url, insert("after"))
        self.await_arrival(self.inbox, {"after"})


class OpenNumbers(AlarmCase):
    FLAGS = ("--set", "tx.outbox.open_ranges_max=1000")

    def test_tell_of_transactions_that_do_not_end_until_they_have(self):
        session = Session(self.url)
        self.addCleanup(session.close)
        session.say("BEGIN; SELECT nextval('makegood_outbox_number')")
        session.begin_to_say("SELECT pg_sleep(300)")
        # As long as it works, every second number may still be one of its own.
        psql(self.url, """INSERT INTO makegood_outbox (topic, payload)
                          SELECT 'order.placed', '{}'
                          FROM (SELECT nextval('makegood_outbox_number') AS drawn
                                FROM generate_series(1, 1500) OFFSET 0) AS numbers WHERE drawn > 0""")
        found = []

        def is_told():
            troubles = self.node.ask("GET", "/api/status").json()["troubles"]
            found[:] = [trouble for trouble in troubles if "Too many producer transactions" in trouble["what"]]
            return found

        self.await_(is_told, "status tells it")
        self.assertEqual(found[0]["severity"], "warning")
        self.assertIn("commits: ", self.run_advice(found[0]))
        psql(self.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(300)%' "
                       "AND pid <> pg_backend_pid() AND datname = current_database()")
        self.await_(lambda: len(self.arrived(self.inbox)) == 1503, "all arrive")
        self.expect_well()


if __name__ == "__main__":
    require_programs()
    unittest.main()
