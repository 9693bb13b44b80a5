"""A database that has forgotten the last turns of an owner that lives on: the owner is fenced, and loses nothing.

The database draws the numbers of what it has forgotten once more. An owner that trusted its memory would take the new
messages for those that it has delivered.
"""

import signal
import unittest

from place import PostgresCase, psql, require_programs, url_of

FEW, MANY = 10, 200  # A standby may pass over up to 32 numbers.


class ForgottenTurns(PostgresCase):
    def setUp(self):
        self.server, self.standby = self.make_servers("server", "standby")
        self.server.start()
        self.start_standby()
        super().setUp()
        self.inbox = self.receiver()
        self.node = self.start()
        self.route_to(self.node, self.inbox)
        self.count = 0
        self.enqueue_more(50)
        self.await_all()

    def start_standby(self):
        """Where there is one."""

    def make_database(self, server):
        return self.server.url()

    def enqueue_more(self, count):
        """Answers the first number."""
        self.enqueue(count, self.count + 1)
        self.count += count
        first = f"e-{self.count - count + 1}"
        return int(psql(self.url, f"SELECT sequence FROM makegood_outbox WHERE event_id = '{first}'")[0][0])

    def await_all(self):
        self.await_arrival(self.inbox, {event for event, in psql(self.url, "SELECT event_id FROM makegood_outbox")})

    def lose(self, count):
        """The database is about to forget them. Answers the last turn: its number, its owner, and how far it came."""
        self.enqueue_more(count)
        self.await_all()
        self.assertEqual(self.node.fenced_count(), 0)
        (turn, owner, reached), = psql(self.url, "SELECT turn, owner, reached FROM makegood_outbox_turn "
                                                 "ORDER BY turn DESC LIMIT 1")
        return turn, owner, int(reached)

    def expect_fenced_and_nothing_lost(self, turn, owner, _):
        self.await_all()
        self.assertGreater(self.node.fenced_count(), 0)
        same = psql(self.url, f"SELECT FROM makegood_outbox_turn WHERE turn = {turn} AND owner = '{owner}'")
        self.assertEqual(same, [], "the database has forgotten that turn")
        (last_owner,), = psql(self.url, "SELECT owner FROM makegood_outbox_turn ORDER BY turn DESC LIMIT 1")
        self.assertNotEqual(last_owner, owner, "the lane was taken anew")
        self.assertIsNone(self.node.process.poll(), self.node.log())
        self.await_(lambda: self.node.ask("GET", "/readyz").status == 200, "it is ready again")


class Restored(ForgottenTurns):
    def come_back_without_them(self):
        self.server.stop("immediate")
        self.server.restore()
        self.server.start()

    def test_by_a_crash_fence_the_owner_and_lose_nothing(self):
        self.server.back_up()
        remembered = self.lose(MANY)
        self.come_back_without_them()
        self.assertLess(self.enqueue_more(50), remembered[2], "numbers are drawn once more")
        self.expect_fenced_and_nothing_lost(*remembered)

    def test_whose_numbers_are_drawn_again_before_the_owner_looks_fence_it_too(self):
        """The counter is above the owner's position again: only the turn tells."""
        self.server.back_up()
        remembered = self.lose(FEW)
        self.node.send(signal.SIGSTOP)
        self.come_back_without_them()
        self.assertLess(self.enqueue_more(50), remembered[2], "numbers are drawn once more")
        self.node.send(signal.SIGCONT)
        self.expect_fenced_and_nothing_lost(*remembered)


class FailedOver(ForgottenTurns):
    def start_standby(self):
        self.standby.follow(self.server)

    def make_database(self, server):
        return url_of(self.server, self.standby)

    def test_to_a_standby_that_lacks_them_fence_the_owner_and_lose_nothing(self):
        self.cut_off_standby()
        remembered = self.lose(MANY)
        self.server.crash()
        self.standby.promote()
        self.assertLess(self.enqueue_more(50), remembered[2], "numbers are drawn once more")
        self.expect_fenced_and_nothing_lost(*remembered)

    def cut_off_standby(self):
        """When it has what the primary has by now."""
        sent, = psql(self.server.url(), "SELECT pg_current_wal_lsn()")[0]
        self.await_(lambda: self.standby_says(f"SELECT pg_last_wal_replay_lsn() >= '{sent}'"), "the standby has it")
        psql(self.standby.url(), "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
        self.await_(lambda: self.standby_says("SELECT count(*) = 0 FROM pg_stat_wal_receiver"), "it receives no more")

    def standby_says(self, question):
        return psql(self.standby.url(), question) == [("t",)]


if __name__ == "__main__":
    require_programs()
    unittest.main()
