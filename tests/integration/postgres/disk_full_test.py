"""The server's disk is full, for its tables or altogether, and has room again: nothing is lost, and the relay stays."""

import contextlib
import os
import shutil
import tempfile
import unittest

from place import PostgresCase, Server, psql, require_programs
from small_disk import SmallDisk, require_small_disks

AT_FIRST = 5
TRIED_WHILE_FULL = 50
# Rows of a lane that nobody has, until the last page is full: the relay has no room for a single turn.
USE_UP_LAST_PAGE = """
    DO $$ BEGIN
      FOR i IN 1 .. 100000 LOOP
        INSERT INTO makegood_outbox_turn (lane, turn, owner, at, lease_until, reached, settled, position)
        VALUES (99, i, 'x', now(), now(), 0, 0, '{}');
        COMMIT;
      END LOOP;
    END $$
"""
# Without a table, so that it is the server that ends, and not a statement of it.
USE_UP_LOG_OF_CHANGES = "SELECT pg_logical_emit_message(true, 'x', repeat('x', 1 << 20)) FROM generate_series(1, 64)"


class DiskFull(PostgresCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-pg-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.disk = SmallDisk(os.path.join(folder.name, "disk"), 160)
        self.addCleanup(self.disk.remove)
        self.server = Server(os.path.join(self.server_folder(folder.name), "server"))
        self.addCleanup(self.server.remove)
        self.server.start(checkpoint_timeout="1h")
        super().setUp()
        self.acknowledged = set()
        self.inbox = self.receiver()
        self.node = self.start()
        self.route_to(self.node, self.inbox)
        self.try_to_enqueue(AT_FIRST)
        self.await_all()

    def server_folder(self, folder):
        raise NotImplementedError

    def try_to_enqueue(self, count):
        for _ in range(count):
            event = f"e-{len(self.acknowledged)}-{os.urandom(4).hex()}"
            with contextlib.suppress(AssertionError):
                psql(self.url, f"""INSERT INTO makegood_outbox (topic, event_id, payload)
                                   VALUES ('order.placed', '{event}', '1')""")
                self.acknowledged.add(event)

    def await_all(self):
        self.await_arrival(self.inbox, self.acknowledged)

    def await_told(self, code):
        self.await_(lambda: code in self.node.ask("GET", "/readyz").body.decode(), f"readiness tells {code}")
        self.assertEqual(self.node.ask("GET", "/healthz").status, 200)
        status = self.node.ask("GET", "/api/status").json()
        self.assertFalse(status["is_ok"])
        found = [trouble for trouble in status["troubles"] if trouble["code"] == code]
        self.assertEqual(len(found), 1, status)
        return found[0]

    def expect_sound_accounts(self):
        self.try_to_enqueue(AT_FIRST)
        self.await_all()
        logged = {event for event, in psql(self.url, "SELECT event_id FROM makegood_outbox")}
        self.assertTrue(self.acknowledged <= logged)
        self.assertEqual(set(self.arrived(self.inbox)) - logged, set(), "arrived, and are not there")
        self.await_(lambda: self.node.ask("GET", "/readyz").status == 200, "it is ready again")
        self.assertIsNone(self.node.process.poll(), "it is the same process")


class OfTables(DiskFull):
    def server_folder(self, folder):
        return folder

    def make_database(self, server):
        space = os.path.join(self.disk.folder, "space")
        os.mkdir(space)
        shutil.chown(space, "postgres")
        psql(self.server.url(), f"CREATE TABLESPACE small LOCATION '{space}'", "CREATE DATABASE shop TABLESPACE small")
        return self.server.url("shop")

    def test_is_told_and_survived(self):
        self.disk.fill()
        with self.assertRaisesRegex(AssertionError, "No space left on device"):
            psql(self.url, USE_UP_LAST_PAGE)
        before = len(self.arrived(self.inbox))
        self.try_to_enqueue(TRIED_WHILE_FULL)
        trouble = self.await_told("STORAGE.FULL")
        told = self.run_advice(trouble, exits=(0, 1))  # The lane may have lost its owner: no turn can be written.
        self.assertRegex(told, "disk: The database takes .* df -h, where its data_directory")
        self.assertEqual(len(self.arrived(self.inbox)), before, "nothing is sent that cannot be recorded")
        self.disk.free()
        self.expect_sound_accounts()


class OfEverything(DiskFull):
    """Not even the log of changes can be written: the server ends, until somebody makes room and starts it again."""

    def server_folder(self, folder):
        return self.disk.folder

    def make_database(self, server):
        return self.server.url()

    def test_is_told_and_survived(self):
        self.disk.fill()
        with self.assertRaises(AssertionError):
            psql(self.url, USE_UP_LOG_OF_CHANGES)
        self.try_to_enqueue(TRIED_WHILE_FULL)
        trouble = self.await_told("STORAGE.UNAVAILABLE")
        told = self.run_advice(trouble, exits=(0, 1))
        if not self.server.is_running():
            self.assertRegex(told, "wrong    server: .*\n +→ Check host, port")
        self.disk.free()
        if not self.server.is_running():
            self.server.start()
        self.expect_sound_accounts()


if __name__ == "__main__":
    require_small_disks()
    require_programs()
    unittest.main()
