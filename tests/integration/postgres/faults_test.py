"""A server that refuses, cancels or takes back what the relay asks of it: the relay tells with a code and goes on.

Each test ends with the same books: everything that was committed arrives, nothing twice without need, and the process
is the one that was started.
"""

import secrets
import unittest
import urllib.parse

from place import PostgresCase, events, psql, require_server
from session import Session

TURN_FAILS = """
    CREATE FUNCTION fail_turn() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = 'serialization_failure'; END $$;
    CREATE TRIGGER fail_turn BEFORE INSERT ON makegood_outbox_turn EXECUTE FUNCTION fail_turn();
"""
AT_FIRST = 5


class Fault(PostgresCase):
    """A node that has a role of its own, so that it can be given settings that nobody else has."""

    def setUp(self):
        super().setUp()
        self.role = "relay_" + secrets.token_hex(4)
        password = secrets.token_hex(8)
        psql(self.url, f"CREATE ROLE {self.role} SUPERUSER LOGIN PASSWORD '{password}'")
        self.addCleanup(psql, self.url, f"DROP OWNED BY {self.role}", f"DROP ROLE {self.role}")
        at = urllib.parse.urlsplit(self.url)
        self.inbox = self.receiver()
        self.node = self.start(store=f"postgres://{self.role}:{password}@{at.hostname}:{at.port}{at.path}")
        self.route_to(self.node, self.inbox)
        self.enqueue(AT_FIRST)
        self.await_arrival(self.inbox, events(AT_FIRST))
        self.other = Session(self.url)
        self.addCleanup(self.other.close)

    def give(self, setting):
        """To the sessions that the node opens from now on; those that it has are ended."""
        psql(self.url, f"ALTER ROLE {self.role} SET {setting}",
             f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{self.role}'")

    def await_told(self, state, code="STORAGE.UNAVAILABLE"):
        """In the log, with what the server has said; and by readiness, with a code that stays the same."""
        self.await_(lambda: state in self.node.log(), f"the log tells of {state}")
        self.await_(lambda: code in self.node.ask("GET", "/readyz").body.decode(), f"readiness tells {code}")
        self.assertEqual(self.node.ask("GET", "/healthz").status, 200)

    def expect_all_delivered(self, count):
        self.await_arrival(self.inbox, events(count))
        self.await_(lambda: self.node.ask("GET", "/readyz").status == 200, "it is ready again")
        self.assertIsNone(self.node.process.poll(), "it is the same process")
        self.assertEqual(set(self.arrived(self.inbox)), events(count))

    def waits_for_a_lock(self):
        return psql(self.url, f"""SELECT count(*) FROM pg_stat_activity
                                  WHERE usename = '{self.role}' AND wait_event_type = 'Lock'""") != [("0",)]

    def test_of_a_statement_timeout_is_told_and_survived(self):
        self.give("statement_timeout = '300ms'")
        self.other.say("BEGIN; LOCK TABLE makegood_outbox_turn IN ACCESS EXCLUSIVE MODE")
        self.enqueue(20, AT_FIRST + 1)
        self.await_told("57014")
        self.assertEqual(set(self.arrived(self.inbox)), events(AT_FIRST), "nothing is sent that cannot be recorded")
        self.other.say("ROLLBACK")
        self.expect_all_delivered(AT_FIRST + 20)

    def test_of_a_deadlock_is_told_and_survived(self):
        self.give("deadlock_timeout = '500ms'")  # Shorter than the other's: it is the relay that gives way.
        count = AT_FIRST
        while "40P01" not in self.node.log() and count < AT_FIRST + 100:
            self.await_arrival(self.inbox, events(count))
            self.other.say("BEGIN; LOCK TABLE makegood_outbox_turn IN ACCESS EXCLUSIVE MODE")
            self.enqueue(20, count + 1)
            count += 20
            self.await_(self.waits_for_a_lock, "the relay waits for its turn, with the log in its hand")
            self.other.say("LOCK TABLE makegood_outbox IN ACCESS EXCLUSIVE MODE")
            self.other.say("COMMIT")
        self.assertRegex(self.node.log(), "STORAGE.UNAVAILABLE.*40P01")
        self.expect_all_delivered(count)

    def test_of_serialization_is_told_and_survived(self):
        psql(self.url, TURN_FAILS)
        self.enqueue(20, AT_FIRST + 1)
        self.await_told("40001")
        self.assertEqual(set(self.arrived(self.inbox)), events(AT_FIRST), "nothing is sent that cannot be recorded")
        psql(self.url, "DROP FUNCTION fail_turn CASCADE")
        self.expect_all_delivered(AT_FIRST + 20)

    def test_of_a_role_that_is_serializable_by_default_is_none(self):
        self.give("default_transaction_isolation = 'serializable'")
        sessions = [Session(self.url) for _ in range(4)]
        for number, session in enumerate(sessions):
            self.addCleanup(session.close)
            session.begin_to_say("SET default_transaction_isolation = 'serializable'; " + "; ".join(
                f"INSERT INTO makegood_outbox (topic, event_id, payload) VALUES ('order.placed', 'e-{i}', '1')"
                for i in range(AT_FIRST + 1 + number, AT_FIRST + 401, 4)))
        for session in sessions:
            self.assertEqual(session.hear(), [])
        self.expect_all_delivered(AT_FIRST + 400)


if __name__ == "__main__":
    require_server()
    unittest.main()
