"""Plain SQL with the drivers that people use: who was taken over while it worked has no effect, however careless it is.
SQLite with Python's sqlite3 in both of its modes and with Node; PostgreSQL with psycopg2 and with Node's pg."""

import contextlib
import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "examples"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
from postgres_database import ask, database_of, needs_postgres  # noqa: E402
from producers import CannotRun, fetch_from_npm, need  # noqa: E402

PROGRAM = os.environ.get("MAKEGOOD_PROGRAM", "makegood")
DEBIAN_PYTHON = "/usr/bin/python3"  # The driver for PostgreSQL is Debian's, and only this one sees it.

CLAIM = ("INSERT INTO makegood_idempotency_claim (scope, key, fingerprint, token, after_lease, lease_ms) "
         "VALUES ('pay', 'k', 'f', '{}', 'take_over', {})")
OWNER = "SELECT token FROM makegood_idempotency_claim WHERE tenant_id = 'default' AND scope = 'pay' AND key = 'k'"
FINISH = ("INSERT INTO makegood_idempotency_finish (scope, key, token, result_digest) "
          "VALUES ('pay', 'k', '{}', 'paid by {}')")
PAY = "UPDATE account SET balance = balance - 10"
RESULT = ("SELECT result_digest FROM makegood_idempotency_claim "
          "WHERE tenant_id = 'default' AND scope = 'pay' AND key = 'k'")

# Connects, pays with the token of its first argument and goes on as if nothing could fail; says which errors it met.
NODE = """
const [at, begin, finish, isFile] = process.argv.slice(2);
let run, close;
if (isFile) {
  const { DatabaseSync } = await import("node:sqlite").catch(() => import("@photostructure/sqlite"));
  const database = new DatabaseSync(at);
  run = async (sql) => database.exec(sql);
  close = () => database.close();
} else {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: at });
  await client.connect();
  run = (sql) => client.query(sql);
  close = () => client.end();
}
const errors = [];
for (const sql of [begin, "UPDATE account SET balance = balance - 10", finish, "COMMIT"]) {
  try {
    await run(sql);
  } catch (error) {
    errors.push(sql.split(" ")[0]);
  }
}
await close();
console.log(JSON.stringify(errors));
"""


def node_folder():
    need("node")
    return fetch_from_npm()


class Takeover:
    """A key that was taken over: `old` was its owner, `new` is."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.open()
        subprocess.run([PROGRAM, "migrate", "--idempotency", "--store", self.store], check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
        self.execute("CREATE TABLE account (balance INTEGER)")
        self.execute("INSERT INTO account VALUES (100)")
        self.execute(CLAIM.format("old", 1))
        while self.one(OWNER) == "old":
            self.execute(CLAIM.format("new", 60_000))

    def expect_untouched(self):
        self.assertEqual(self.one("SELECT balance FROM account"), 100)
        self.execute(FINISH.format("new", "new"))
        self.assertEqual(self.one(RESULT), "paid by new")

    def pay_from_node(self, token):
        try:
            folder = node_folder()
        except CannotRun as reason:
            self.skipTest(str(reason))
        script = os.path.join(folder, f"pay_{os.getpid()}.mjs")  # Beside the packages that it imports.
        with open(script, "w", encoding="utf-8") as file:
            file.write(NODE)
        self.addCleanup(os.remove, script)
        done = subprocess.run(["node", script, self.at, self.begin, FINISH.format(token, token), *self.is_file],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_with_node(self):
        errors = self.pay_from_node("old")
        self.assertIn("INSERT", errors)
        self.expect_untouched()

    def test_with_node_by_its_owner(self):
        self.assertEqual(self.pay_from_node("new"), [])
        self.assertEqual((self.one("SELECT balance FROM account"), self.one(RESULT)), (90, "paid by new"))


class OnSqlite(Takeover, unittest.TestCase):
    begin, is_file = "BEGIN IMMEDIATE", ("file",)

    def open(self):
        self.at = os.path.join(self.folder, "shop.db")
        self.store = f"sqlite:{self.at}"

    def connect(self, **how):
        return contextlib.closing(sqlite3.connect(self.at, **how))

    def execute(self, sql):
        with self.connect(isolation_level=None) as database:
            return database.execute(sql).fetchall()

    def one(self, sql):
        return self.execute(sql)[0][0]

    def test_with_sqlite3_that_begins_by_itself(self):
        with self.connect() as database:
            with self.assertRaises(sqlite3.IntegrityError), database:
                database.execute(PAY)
                database.execute(FINISH.format("old", "old"))
            database.commit()  # As who looks at no error does.
        self.expect_untouched()

    def test_with_sqlite3_where_the_application_begins(self):
        with self.connect(isolation_level=None) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute(PAY)
            with self.assertRaises(sqlite3.IntegrityError):
                database.execute(FINISH.format("old", "old"))
            self.assertFalse(database.in_transaction)
            with self.assertRaisesRegex(sqlite3.OperationalError, "no transaction is active"):
                database.execute("COMMIT")
        self.expect_untouched()

    def test_what_comes_after_the_finish_stands_alone(self):
        """Why the finish has to be the last statement."""
        with self.connect(isolation_level=None) as database:
            database.execute("BEGIN IMMEDIATE")
            with self.assertRaises(sqlite3.IntegrityError):
                database.execute(FINISH.format("old", "old"))
            database.execute(PAY)
        self.assertEqual(self.one("SELECT balance FROM account"), 90)


@needs_postgres
class OnPostgres(Takeover, unittest.TestCase):
    begin, is_file = "BEGIN", ()

    def open(self):
        self.at = self.store = database_of(self)

    def execute(self, sql):
        return ask(self.at, sql)

    def one(self, sql):
        found = self.execute(sql)
        return int(found) if found.isdigit() else found

    def test_with_psycopg2(self):
        import psycopg2
        with contextlib.closing(psycopg2.connect(self.at)) as connection:
            with connection.cursor() as cursor:
                cursor.execute(PAY)
                with self.assertRaises(psycopg2.Error) as refused:
                    cursor.execute(FINISH.format("old", "old"))
                self.assertEqual(refused.exception.pgcode, "MG010")
                with self.assertRaises(psycopg2.errors.InFailedSqlTransaction):
                    cursor.execute(PAY)
            connection.commit()  # As who looks at no error does.
        self.expect_untouched()


if __name__ == "__main__":
    has_driver = importlib.util.find_spec("psycopg2") is not None
    if not has_driver and os.path.exists(DEBIAN_PYTHON) and sys.executable != DEBIAN_PYTHON:
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
    unittest.main()
