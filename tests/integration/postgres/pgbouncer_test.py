"""Through PgBouncer in transaction mode: each transaction may meet another backend, and nothing depends on it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

from place import PROGRAM, SKIPPED, PostgresCase, clean_environment, events, insert, psql, require_server
from postgres_server import as_whom, free_port
from session import Session

PRODUCER = os.environ.get("MAKEGOOD_POOLED_PRODUCER", "")
READY_WITHIN = 20
INI = """
[databases]
* = host={host} port={server_port} user={user} password={password}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
default_pool_size = 3
max_client_conn = 50
ignore_startup_parameters = extra_float_digits
server_login_retry = 1
"""


class PgBouncer:
    def __init__(self, url):
        at = urllib.parse.urlsplit(url)
        self.folder = tempfile.mkdtemp(prefix="makegood-pgbouncer-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.port = free_port()
        self.url = at._replace(netloc=f"{at.username}:{at.password}@127.0.0.1:{self.port}").geturl()
        users, ini, self.log = (os.path.join(self.folder, name) for name in ("users", "pgbouncer.ini", "log"))
        with open(users, "w", encoding="utf-8") as file:
            file.write(f'"{at.username}" "{at.password}"\n')
        with open(ini, "w", encoding="utf-8") as file:
            file.write(INI.format(host=at.hostname, server_port=at.port, user=at.username, password=at.password,
                                  port=self.port, users=users))
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["pgbouncer", ini], env=clean_environment(), stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, **as_whom())
        self.await_ready()

    def await_ready(self):
        until = time.monotonic() + READY_WITHIN
        while True:
            try:
                return psql(self.url, "SELECT 1")
            except AssertionError:
                if time.monotonic() > until or self.process.poll() is not None:
                    with open(self.log, encoding="utf-8", errors="replace") as log:
                        raise AssertionError(log.read()) from None
                time.sleep(0.05)

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)


class PooledCase(PostgresCase):
    """`self.url` is the pooler's."""

    def setUp(self):
        super().setUp()
        self.direct = self.url
        pooler = PgBouncer(self.url)
        self.addCleanup(pooler.close)
        self.url = pooler.url


class ThroughPgBouncer(PooledCase):
    def test_tables_are_made_and_messages_delivered(self):
        self.migrate("b_outbox")
        inbox, node = self.receiver(), self.start()
        self.route_to(node, inbox)
        self.enqueue(500)
        self.await_arrival(inbox, events(500))
        self.assertEqual(node.enqueue(event_id="by-rest").status, 201)
        self.await_arrival(inbox, {"by-rest"})
        self.assertEqual(len(self.arrived(inbox)), 501)
        self.assertEqual(node.end()[0], 0, node.log())

    def test_a_killed_owner_is_followed_by_another(self):
        inbox, owner = self.receiver(), self.start()
        self.route_to(owner, inbox)
        other = self.start()
        self.await_(owner.owns, "the first owns the lane")
        owner.end(signal.SIGKILL)
        self.enqueue(20)
        self.await_arrival(inbox, events(20))
        self.assertTrue(other.owns())

    def test_it_is_another_way_to_the_same_server_and_no_copy(self):
        inbox = self.receiver()
        for count, way in enumerate((self.direct, self.url, self.direct), start=1):
            node = self.start(store=way)
            self.await_(node.owns, "it owns the lane")
            self.route_to(node, inbox)
            self.enqueue(1, count)
            self.await_arrival(inbox, events(count))
            self.assertEqual(node.end()[0], 0, node.log())
        recorded = psql(self.direct, "SELECT jsonb_array_length(places) FROM makegood_store")
        self.assertEqual(recorded, [("2",)], "both ways are known from now on")

    def test_a_dead_letter_is_found_and_replayed_by_the_command_line(self):
        inbox, node = self.receiver(), self.start()
        inbox.answer = lambda body: 404
        self.route_to(node, inbox)
        psql(self.url, "SELECT * FROM makegood_outbox_enqueue('order.placed', '1', event_id => 'e-1', ordered => true, "
                       "dispatch_key => 'k')", "SELECT * FROM makegood.enqueue('order.placed', '1', event_id => 'e-2')",
             """SELECT * FROM makegood.enqueue_all('[{"topic": "order.placed", "payload": 1, "event_id": "e-3"}]')""")
        self.await_(lambda: len(self.dead_letters()) == 3, "they are dead")
        inbox.answer = lambda body: 200
        self.makegood("dead", "replay", "--all", "--yes", "--operator", "ann", "--reason", "mended", "--store",
                      self.url)
        self.await_(lambda: not self.dead_letters(), "they are replayed")
        self.assertEqual(sorted(self.arrived(inbox)), sorted([*events(3), *events(3)]))
        for verb in (["status"], ["outbox", "list"], ["migrate", "check"]):
            self.makegood(*verb, "--store", self.url)
        self.assertRegex(self.makegood("doctor", "--store", self.url), "ok +pooler")

    def dead_letters(self):
        return json.loads(self.makegood("dead", "list", "--json", "--store", self.url))["items"]

    def test_enqueuers_of_two_processes_and_of_two_connections_do_not_disturb_each_other(self):
        inbox, node = self.receiver(), self.start()
        self.route_to(node, inbox)
        producers = [subprocess.Popen([PRODUCER, self.url, prefix, "40"], env=clean_environment(),
                                      stderr=subprocess.PIPE, text=True) for prefix in ("p", "q")]
        for producer in producers:
            _, said = producer.communicate(timeout=60)
            self.assertEqual(producer.returncode, 0, said)
        self.await_arrival(inbox, {f"{prefix}-{number}" for prefix in ("p", "q") for number in range(40)})


class RestartBehindPgBouncer(PooledCase):
    def setUp(self):
        self.server, = self.make_servers("server")
        self.server.start()
        super().setUp()

    def make_database(self, server):
        return self.server.url()

    def test_is_noticed_though_the_pooler_hides_it(self):
        """Names of transactions begin anew: what a lane knows of those that hold a number is worth nothing any more."""
        inbox, node = self.receiver(), self.start()
        self.route_to(node, inbox)
        left = Session(self.server.url())
        self.addCleanup(left.close)
        left.say(f"BEGIN; {insert('void')}")
        psql(self.url, f"BEGIN; {insert('prepared')}; PREPARE TRANSACTION 'later'")
        self.enqueue(20)
        self.await_arrival(inbox, events(20))
        self.await_(lambda: self.open_count(node) == 2, "two numbers are open")
        self.server.crash()
        self.server.start()
        self.await_(self.answers, "the pooler has found the server again")
        self.enqueue(20, 21)
        self.await_arrival(inbox, events(40))
        psql(self.url, "COMMIT PREPARED 'later'")
        self.await_arrival(inbox, {"prepared"})
        self.await_(lambda: self.open_count(node) == 0, "what was not prepared is void")
        self.assertNotIn("void", self.arrived(inbox))

    def open_count(self, node):
        answer = node.ask("GET", "/api/outboxes/makegood_outbox")  # The first one after a restart may be refused.
        return answer.json()["lane"]["open_count"] if answer.status == 200 else None

    def answers(self):
        try:
            return psql(self.url, "SELECT 1")
        except AssertionError:
            return False


if __name__ == "__main__":
    require_server()
    if shutil.which("pgbouncer") is None:
        print("SKIPPED: pgbouncer is not installed", flush=True)
        sys.exit(SKIPPED)
    unittest.main()
