"""The tables of an older version are migrated while writers write, one of them in a transaction that it has forgotten.

A migration that needs the log for itself waits for the forgotten one, half a second at a time, so that nobody waits
behind it for longer; and whoever waits for the tables goes on by itself.
"""

import subprocess
import threading
import time
import unittest

from place import PROGRAM, PostgresCase, clean_environment, insert, psql, require_server
from session import Session

WRITERS = 3
WAIT_MAX_SECONDS = 3  # Half a second behind a migration that waits, on a machine that has other work.


class Writer(threading.Thread):
    """Commits message after message, and knows how long the slowest took."""

    def __init__(self, url, name):
        super().__init__(daemon=True)
        self.session, self.prefix = Session(url), name
        self.count, self.slowest = 0, 0.0
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(0.002):
            began = time.monotonic()
            self.session.say(insert(f"{self.prefix}-{self.count + 1}"))
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.count += 1

    def finish(self):
        self.is_over.set()
        self.join(30)
        self.session.close()


class OnlineMigration(PostgresCase):
    def migrate(self, *_):
        """Only the first of them: what the first version had."""
        whole = self.makegood("migrate", "--print", "--store", self.url)
        psql(self.url, whole[:whole.index("-- 0002 ")])

    def test_holds_no_writer_up_and_loses_nothing(self):
        inbox, forgotten = self.receiver(), Session(self.url)
        self.addCleanup(forgotten.close)
        writers = [Writer(self.url, f"w{number}") for number in range(WRITERS)]
        for writer in writers:
            writer.start()
            self.addCleanup(writer.finish)
        forgotten.say(f"BEGIN; {insert('late')}; SELECT count(*) FROM makegood_outbox")
        node = self.start("--no-migrate")
        self.await_(lambda: "migration 1 of" in node.log(), "the node says what is missing")
        self.await_writes(writers)

        migrations = self.begin_to_migrate_twice()
        self.await_(self.is_waited_for, "a migration waits for the one that was forgotten")
        self.await_writes(writers)
        forgotten.say("COMMIT")
        self.await_success(migrations)
        self.assertEqual(subprocess.run([PROGRAM, "migrate", "check", "--store", self.url], env=clean_environment(),
                                        check=False, capture_output=True, timeout=60).returncode, 0)
        self.await_writes(writers)
        for writer in writers:
            writer.finish()
        slowest = max(writer.slowest for writer in writers)
        commits = sum(writer.count for writer in writers)
        print(f"{commits} commits, the slowest took {slowest * 1000:.0f} ms", flush=True)
        self.assertLess(slowest, WAIT_MAX_SECONDS)

        self.route_to(node, inbox)
        written = {f"{writer.prefix}-{number}" for writer in writers for number in range(1, writer.count + 1)}
        self.await_arrival(inbox, written | {"late"})

    def begin_to_migrate_twice(self):
        """They wait for each other."""
        command = [PROGRAM, "migrate", "--store", self.url]
        return [subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True) for _ in range(2)]

    def is_waited_for(self):
        waiting = "SELECT count(*) FROM pg_locks WHERE mode = 'ShareRowExclusiveLock' AND NOT granted"
        return psql(self.url, waiting) == [("1",)]

    def await_success(self, migrations):
        for one in migrations:
            said, _ = one.communicate(timeout=90)
            self.assertEqual(one.returncode, 0, said)

    def await_writes(self, writers):
        for writer in writers:
            wanted = writer.count + 20
            self.await_(lambda writer=writer, wanted=wanted: writer.count >= wanted, "it goes on writing")


if __name__ == "__main__":
    require_server()
    unittest.main()
