"""Long transactions anywhere in the database: an old snapshot, a number that was drawn and stays open, a big import.

They neither stall delivery nor let the tables grow, with no more rights than `makegood migrate grants` gives. The
figures are printed; bounds are generous, for a busy machine.
"""

import json
import subprocess
import time
import unittest

from inbox import Inbox
from place import clean_environment, insert, psql, require_server
from roles import GrantedCase
from traffic import ROLLED_BACK, Traffic, delays, told

PER_SECOND = 200
PHASE_SECONDS = 6
P99_MAX_MS = 3000
POSITION_MAX_BYTES = 4096
IMPORTED = 50_000
IMPORT_P99_MAX_MS = 6000  # Behind the import one would wait for as long as it takes, which is several times as much.
ROLLBACKS_PER_SECOND = 40
OPEN_MAX = 2 * ROLLBACKS_PER_SECOND  # Those of the last moments; all of them would be six seconds' worth.


class Session:
    """A psql that is told what to do, statement by statement, and stays in its transaction."""

    def __init__(self, url):
        self.process = subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", url], env=clean_environment(),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, *statements):
        self.process.stdin.write("".join(f"{statement};\n" for statement in statements) + "\\echo said\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line == "said\n":
                return
        raise AssertionError("psql has ended")

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


class LongTransactions(GrantedCase):
    def setUp(self):
        super().setUp()
        self.inbox = Inbox(self.folder)
        self.addCleanup(self.inbox.close)
        self.node = self.start(store=self.relay)
        self.route_to(self.node, self.inbox)
        self.traffic = Traffic(self.producer, self.folder, PER_SECOND, 120)
        self.addCleanup(self.traffic.stop)
        self.await_(lambda: self.inbox.look(), "the first arrive")

    def session(self):
        session = Session(self.producer)
        self.addCleanup(session.close)
        return session

    def phase(self, name):
        """Delivery goes on for some seconds, whatever else there is."""
        began = time.time()
        time.sleep(PHASE_SECONDS)
        ended = time.time()
        self.await_(lambda: self.has_all_up_to(ended), f"what was inserted {name} arrives")
        found = delays(self.inbox.look(), began, ended)
        print(told(name, found), flush=True)
        self.assertGreater(found.count, PER_SECOND * PHASE_SECONDS / 3)
        self.assertLess(found.p99, P99_MAX_MS)
        return found

    def has_all_up_to(self, time_):
        rows = psql(self.url, f"SELECT event_id FROM makegood_outbox WHERE created_at < to_timestamp({time_})")
        return self.inbox.has({event for event, in rows})

    def expect_no_bloat(self):
        psql(self.url, "ANALYZE makegood_outbox")  # Counts anew what is dead.
        dead, = psql(self.url, "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'makegood_outbox'")[0]
        self.assertEqual(dead, "0")
        self.expect_small_positions()

    def expect_small_positions(self):
        largest, = psql(self.url, "SELECT max(length(position::text)) FROM makegood_outbox_turn")[0]
        print(f"largest position: {largest} bytes", flush=True)
        self.assertLess(int(largest), POSITION_MAX_BYTES)

    def test_with_an_old_snapshot_hold_nobody_up(self):
        self.phase("before")
        holder = self.session()
        holder.say("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM makegood_outbox")
        self.phase("beside an old snapshot")
        holder.say("COMMIT")
        self.expect_no_bloat()

    def test_that_keep_a_number_open_hold_up_only_themselves(self):
        self.phase("before")
        holder = self.session()
        holder.say("BEGIN", insert("late"))
        self.phase("beside an open number")
        self.assertNotIn("late", self.inbox.events)
        holder.say("COMMIT")
        self.await_(lambda: self.inbox.has({"late"}), "it arrives when it is committed")
        self.expect_no_bloat()

    def test_keep_no_rollbacks_of_others_open_and_leave_no_trace_of_their_own(self):
        holder = self.session()
        holder.say("BEGIN", insert("void"))
        rollbacks = Traffic(self.producer, self.folder, ROLLBACKS_PER_SECOND, 120, script=ROLLED_BACK)
        self.addCleanup(rollbacks.stop)
        self.phase("beside an open number and rollbacks")
        self.expect_few_open()
        holder.say("ROLLBACK")
        self.traffic.stop()
        rollbacks.stop()
        psql(self.producer, insert("last"))  # Numbers without a row above the last one are not looked at yet.
        self.await_(self.is_settled, "nothing is open any more")
        self.assertNotIn("void", self.inbox.events)

    def expect_few_open(self):
        drawn, = psql(self.url, "SELECT last_value - (SELECT count(*) FROM makegood_outbox) "
                                "FROM makegood_outbox_number")[0]
        open_count = self.node.ask("GET", "/api/outboxes/makegood_outbox").json()["lane"]["open_count"]
        print(f"{drawn} numbers have no row, {open_count} of them are open", flush=True)
        self.assertGreater(int(drawn), OPEN_MAX, "there were enough")
        self.assertIn(open_count, range(1, OPEN_MAX))
        self.expect_small_positions()

    def is_settled(self):
        last, = psql(self.url, "SELECT position FROM makegood_outbox_turn ORDER BY turn DESC LIMIT 1")
        drawn, = psql(self.url, "SELECT last_value FROM makegood_outbox_number")[0]
        position = json.loads(last[0])
        return (position["reached"], position["open"], position["under_way"]) == (int(drawn), [], {})

    def test_that_import_many_rows_lose_nothing_of_others(self):
        began = time.time()
        psql(self.producer, f"""
            INSERT INTO makegood_outbox (topic, tenant_id, event_id, dispatch_key, payload)
            SELECT 'order.imported', 'importer', 'import-' || i, i, '{{}}' FROM generate_series(1, {IMPORTED}) AS i""")
        committed = time.time()
        imported = {f"import-{number}" for number in range(1, IMPORTED + 1)}
        self.await_(lambda: self.inbox.has(imported), "all of the import arrives", 120)
        ended = time.time()
        self.traffic.stop()
        self.await_(lambda: self.has_all_up_to(ended), "all others arrive too")
        for name, since, until in (("while the import is open", began, committed),
                                   ("while it is delivered", committed, ended)):
            found = delays(self.inbox.look(), since, until)
            print(told(name, found), flush=True)
            self.assertLess(found.p99, IMPORT_P99_MAX_MS)


if __name__ == "__main__":
    require_server()
    unittest.main()
