"""A copy of a database sends nothing until it is adopted; the promoted standby of the same system goes on by itself."""

import subprocess
import unittest

from place import PROGRAM, PostgresCase, clean_environment, events, psql, require_programs


class Copies(PostgresCase):
    def setUp(self):
        self.server, self.other = self.make_servers("server", "other")
        self.server.start()
        super().setUp()

    def make_database(self, server):
        return self.server.url()

    def deliver_one_and_leave_one(self, inbox):
        """A database that has been in use: a route, a message that was sent, and one that was not."""
        node = self.start()
        self.route_to(node, inbox)
        self.enqueue(1)
        self.await_arrival(inbox, events(1))
        self.assertEqual(node.end()[0], 0)
        self.enqueue(1, 2)

    def restore_elsewhere(self):
        self.other.start()
        tool = {"env": clean_environment(), "timeout": 60, "check": True}
        dump = subprocess.run(["pg_dump", self.server.url()], stdout=subprocess.PIPE, **tool).stdout
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", self.other.url()], input=dump,
                       stdout=subprocess.DEVNULL, **tool)

    def expect_nothing_until_adopted(self, copy, inbox):
        node = self.start(store=copy)
        self.await_(lambda: "STORAGE.FOREIGN" in node.ask("GET", "/readyz").body.decode(), "it says why it is idle")
        self.assertEqual(self.arrived(inbox), ["e-1"])
        node.end()

        self.makegood("adopt", "--store", copy)
        self.start(store=copy)
        self.await_arrival(inbox, events(2))
        self.assertEqual(sorted(self.arrived(inbox)), ["e-1", "e-2"])

    def test_send_nothing_until_they_are_adopted(self):
        inbox = self.receiver()
        self.deliver_one_and_leave_one(inbox)
        self.restore_elsewhere()
        self.expect_nothing_until_adopted(self.other.url(), inbox)

    def test_made_within_the_server_send_nothing_until_they_are_adopted(self):
        inbox = self.receiver()
        self.deliver_one_and_leave_one(inbox)
        clone = self.server.url("staging")
        psql(self.server.url("template1"), "CREATE DATABASE staging TEMPLATE postgres")
        self.expect_nothing_until_adopted(clone, inbox)

    def test_that_were_standbys_go_on_when_they_are_promoted(self):
        inbox = self.receiver()
        self.deliver_one_and_leave_one(inbox)
        self.other.follow(self.server)
        self.enqueue(1, 3)
        sent = psql(self.server.url(), "SELECT pg_current_wal_lsn()")[0][0]
        self.await_(lambda: psql(self.other.url(), f"SELECT pg_last_wal_replay_lsn() >= '{sent}'") == [("t",)],
                    "the standby has it")
        doctor = subprocess.run([PROGRAM, "doctor", "--store", self.other.url()], env=clean_environment(), timeout=60,
                                capture_output=True, text=True, check=False)
        self.assertRegex(doctor.stdout, "writes.*standby")
        self.server.crash()
        self.other.promote()
        node = self.start(store=self.other.url())
        self.await_arrival(inbox, events(3))
        self.assertEqual(sorted(self.arrived(inbox)), ["e-1", "e-2", "e-3"])
        self.assertEqual(node.ask("GET", "/readyz").status, 200)


if __name__ == "__main__":
    require_programs()
    unittest.main()
