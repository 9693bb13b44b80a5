"""A producer on the same machine rings after its commit, and the node looks at once."""

import os
import signal
import socket
import statistics
import time
import unittest

from place import PostgresCase, events, psql, require_server

# A look happens every second anyway. One that was rung for comes at once; most of them, on a busy machine.
AT_ONCE_SECONDS = 0.2
TIMES = 9
# Whether every session of the node has been silent for longer than it stays awake after a message.
IS_QUIET = """SELECT coalesce(bool_and(now() - state_change > '150 ms'), false) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid()"""


class Doorbell(PostgresCase):
    def setUp(self):
        super().setUp()
        self.bell = os.path.join(self.folder, "bell")
        self.caller = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.caller.close)

    def test_a_ring_is_heard_long_before_the_next_look(self):
        node = self.start("--set", f"server.doorbell={self.bell}", "--set", "tx.outbox.poll_ms=60s")
        inbox = self.receiver()
        self.route_to(node, inbox)
        waits = []
        for number in range(1, TIMES + 1):
            self.await_(lambda: psql(self.url, IS_QUIET) == [("t",)], "the node is quiet")
            self.enqueue(1, first=number)
            self.caller.sendto(b"", self.bell)
            rung_at = time.monotonic()
            self.await_arrival(inbox, events(number))
            waits.append(time.monotonic() - rung_at)
        self.assertLess(statistics.median(waits), AT_ONCE_SECONDS, waits)
        self.assertEqual(node.end()[0], 0)
        self.assertFalse(os.path.exists(self.bell))

    def test_a_node_that_was_killed_leaves_its_bell_to_the_next(self):
        self.start("--set", f"server.doorbell={self.bell}").end(signal.SIGKILL)
        self.assertTrue(os.path.exists(self.bell))
        self.start("--set", f"server.doorbell={self.bell}")
        self.caller.sendto(b"", self.bell)


if __name__ == "__main__":
    require_server()
    unittest.main()
