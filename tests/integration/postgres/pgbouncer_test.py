"""Through PgBouncer in transaction mode: each transaction may meet another backend, and nothing depends on it."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

from place import SKIPPED, PostgresCase, clean_environment, events, psql, require_server
from postgres_server import as_whom, free_port

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


class ThroughPgBouncer(PostgresCase):
    def setUp(self):
        super().setUp()
        pooler = PgBouncer(self.url)
        self.addCleanup(pooler.close)
        self.url = pooler.url

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


if __name__ == "__main__":
    require_server()
    if shutil.which("pgbouncer") is None:
        print("SKIPPED: pgbouncer is not installed", flush=True)
        sys.exit(SKIPPED)
    unittest.main()
