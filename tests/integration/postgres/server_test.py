"""The server that the other tests rely on: started, crashed, copied, promoted, gone."""

import os
import tempfile
import unittest

from place import Server, psql, require_programs
from postgres_server import is_alive


class ServerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-pg-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.server = self.at(folder.name, "primary")
        self.standby = self.at(folder.name, "standby")

    def at(self, folder, name):
        server = Server(os.path.join(folder, name))
        self.addCleanup(server.remove)
        return server

    def test_keeps_data_and_port_through_stop_and_crash(self):
        url = self.server.start().url()
        psql(url, "CREATE TABLE t AS SELECT 1")
        self.server.stop()
        self.assertFalse(self.server.is_running())
        self.assertEqual(self.server.start().url(), url)
        psql(url, "INSERT INTO t VALUES (2)")
        self.server.crash()
        self.assertFalse(self.server.is_running())
        self.assertEqual(self.server.start().url(), url)
        self.assertEqual(psql(url, "SELECT * FROM t"), [("1",), ("2",)])

    def test_takes_settings_and_keeps_them(self):
        self.server.start(work_mem="5MB")
        self.server.stop("immediate")
        url = self.server.start(max_connections="33").url()
        self.assertEqual(psql(url, "SHOW work_mem", "SHOW max_connections", "SHOW max_prepared_transactions"),
                         [("5MB",), ("33",), ("20",)])

    def test_is_for_those_who_know_the_password(self):
        url = self.server.start().url()
        with self.assertRaisesRegex(AssertionError, "password authentication failed"):
            psql(url.replace(self.server.recall("password"), "guessed"), "SELECT 1")

    def test_has_a_standby_which_becomes_the_primary(self):
        psql(self.server.start().url(), "CREATE TABLE t AS SELECT 1")
        url = self.standby.follow(self.server).url()
        self.assertEqual(psql(url, "SELECT pg_is_in_recovery()"), [("t",)])
        self.server.crash()
        self.standby.promote()
        psql(url, "INSERT INTO t VALUES (2)")
        self.assertEqual(psql(url, "SELECT * FROM t"), [("1",), ("2",)])

    def test_forgets_what_came_after_its_backup(self):
        url = self.server.start().url()
        psql(url, "CREATE TABLE t AS SELECT 1")
        self.server.back_up()
        psql(url, "INSERT INTO t VALUES (2)")
        self.server.stop("immediate")
        self.server.restore()
        self.assertEqual(self.server.start().url(), url)
        self.assertEqual(psql(url, "SELECT * FROM t"), [("1",)])

    def test_leaves_nothing_behind(self):
        self.server.start()
        process = self.server.process_id()
        self.server.remove()
        self.assertFalse(os.path.exists(self.server.folder))
        with self.assertRaises(FileNotFoundError):
            self.server.url()
        self.assertFalse(is_alive(process))


if __name__ == "__main__":
    require_programs()
    unittest.main()
