"""The database of a run: a file of SQLite, or a PostgreSQL server that is started for it and removed at its end."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from postgres_server import CannotRun, Server  # noqa: E402
from tables import Size  # noqa: E402

START_SAGA = "INSERT INTO makegood_saga (topic, event_id, payload) VALUES"
BUSINESS_TABLE = "CREATE TABLE soak_order (event_id TEXT PRIMARY KEY, dispatch_key TEXT, place INTEGER, digest TEXT)"
# The cleaner takes rows out of the log: what was ever in it is written down beside it, in the same transaction.
BOOK_OF_THE_LOG = """
    CREATE TABLE soak_log (sequence bigint PRIMARY KEY, event_id text);
    CREATE FUNCTION soak_note() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO soak_log VALUES (NEW.sequence, NEW.event_id); RETURN NULL; END $$;
    CREATE TRIGGER soak_note AFTER INSERT ON makegood_outbox FOR EACH ROW EXECUTE FUNCTION soak_note()"""


class SqliteStore:
    flags = ()
    log = "makegood_outbox"

    def __init__(self, folder):
        self.path = os.path.join(folder, "soak.db")
        self.url = f"sqlite:{self.path}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def prepare(self):
        database = sqlite3.connect(self.path)
        database.execute(BUSINESS_TABLE)
        database.close()

    def query(self, sql):
        database = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=30)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def start_saga(self, definition, execution, body):
        """In a transaction of the caller's own; true: it is committed."""
        database = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        try:
            database.execute(f"{START_SAGA} (?, ?, ?)", (definition, execution, json.dumps(body)))
            return True
        finally:
            database.close()

    can_crash = False

    def sizes(self):
        """One file, which the soak keeps whole."""
        return {}

    def save(self, folder):
        """It lies there already."""


class PostgresStore:
    # Delivered messages go after some seconds, so that the cleaner has as much to do as the producers; and a lane is
    # free soon after a kill.
    flags = ("--set", "cleaner.retention=10s", "--set", "cleaner.interval=1s", "--set", "tx.outbox.lease_ms=2s")
    log = "soak_log"
    settings = {"autovacuum_naptime": "5s"}  # What it does in an hour is to be seen in minutes.

    def __init__(self, _):
        # Where the user postgres can get.
        self.folder = tempfile.mkdtemp(prefix="makegood-soak.", dir="/var/tmp")
        os.chmod(self.folder, 0o755)
        self.server = Server(os.path.join(self.folder, "server"))
        self.session = None

    def __enter__(self):
        try:
            self.server.start(**self.settings)
        except CannotRun:
            self.__exit__()
            raise
        self.url = self.server.url()
        return self

    def __exit__(self, *_):
        if self.session is not None:
            self.session.close()
        self.server.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def prepare(self):
        self.session = self.connect()
        self.session.cursor().execute(f"{BUSINESS_TABLE}; {BOOK_OF_THE_LOG}")

    def connect(self):
        import psycopg2  # Only here: who has no such driver can still run the soak on SQLite.
        session = psycopg2.connect(self.url)
        session.autocommit = True  # So that it holds no snapshot, which would keep dead rows.
        return session

    def query(self, sql):
        with self.session.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    def start_saga(self, definition, execution, body):
        """In a transaction of the caller's own; true: it is committed."""
        import psycopg2
        try:
            session = self.connect()
            try:
                session.cursor().execute(f"{START_SAGA} (%s, %s, %s)", (definition, execution, json.dumps(body)))
                return True
            finally:
                session.close()
        except psycopg2.OperationalError:
            return False  # The server is dead; whether it was committed is seen when it lives again.

    can_crash = True

    def crash(self, seconds):
        """All processes of the server die at once, and it is away for so long."""
        self.session.close()
        self.server.crash()
        time.sleep(seconds)
        self.server.start(**self.settings)
        self.session = self.connect()

    def sizes(self):
        rows = self.query(
            "SELECT relname, pg_total_relation_size(relid), n_live_tup, n_dead_tup FROM pg_stat_user_tables"
            " WHERE relname LIKE 'makegood_outbox%'")
        return {name: Size(size / (1 << 20), live, dead) for name, size, live, dead in rows}

    def save(self, folder):
        with open(os.path.join(folder, "store.sql"), "wb") as file:
            subprocess.run(["pg_dump", self.url], stdout=file, check=False)


STORES = {"sqlite": SqliteStore, "postgres": PostgresStore}
