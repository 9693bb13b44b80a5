"""makegood migrate export, run by the tool that it is for. migrations_test.py plain|flyway|liquibase|goose|alembic

Flyway's files are SQL that psql can run as well; the other tools are real.
"""

import os
import subprocess
import sys
import unittest
import urllib.parse

import migration_tools
from place import PROGRAM, PostgresCase, clean_environment, events, on_database, psql, require_server

TOOL = sys.argv.pop(1)
COMMAND = []  # How the tool is started.
OUTBOX = "billing.outbox"
ENVIRONMENT = """
import sqlalchemy
from alembic import context
engine = sqlalchemy.create_engine("{url}")
with engine.connect() as connection:
    context.configure(connection=connection)
    with context.begin_transaction():
        context.run_migrations()
"""


def tool(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, env=clean_environment(), capture_output=True, text=True, timeout=120,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.stdout}{done.stderr}")


def psql_file(url, path):
    tool("psql", "-Xq", "--single-transaction", "-v", "ON_ERROR_STOP=1", "-f", path, url)


def with_psql(url, folder, direction):
    """Only what is not undone by another file."""
    is_down = direction == "down"
    names = [name for name in os.listdir(folder) if name.endswith("_down.sql") == is_down]
    for name in sorted(names, reverse=is_down):
        psql_file(url, os.path.join(folder, name))


def with_goose(url, folder, direction):
    tool(*COMMAND, "-dir", folder, "postgres", url, "up" if direction == "up" else "reset")


def with_alembic(url, folder, direction):
    place = os.path.join(folder, "..", "alembic")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "env.py"), "w", encoding="utf-8") as file:
        file.write(ENVIRONMENT.format(url=url.replace("postgres://", "postgresql+psycopg://")))
    with open(os.path.join(place, "alembic.ini"), "w", encoding="utf-8") as file:
        file.write(f"[alembic]\nscript_location = {place}\nversion_locations = {folder}\n")
    tool(*COMMAND, "-c", os.path.join(place, "alembic.ini"),
         *(["upgrade", "heads"] if direction == "up" else ["downgrade", "base"]))


def with_liquibase(url, folder, direction):
    names = sorted(name for name in os.listdir(folder) if name.endswith(".sql"))
    with open(os.path.join(folder, "changelog.yaml"), "w", encoding="utf-8") as file:
        file.write("databaseChangeLog:\n" + "".join(f"- include: {{file: {name}}}\n" for name in names))
    at = urllib.parse.urlsplit(url)
    tool(*COMMAND, f"--search-path={folder}", "--changelog-file=changelog.yaml", f"--username={at.username}",
         f"--password={at.password}", f"--url=jdbc:postgresql://{at.hostname}:{at.port}{at.path}",
         *(["update"] if direction == "up" else ["rollback-count", str(len(names))]), cwd=folder)


RUN = {"plain": with_psql, "flyway": with_psql, "liquibase": with_liquibase, "goose": with_goose,
       "alembic": with_alembic}


class Export(PostgresCase):
    def setUp(self):
        super().setUp()
        self.url = self.make_database(self.url)  # Without any tables.
        self.output = self.path("migrations")
        os.mkdir(self.output)

    def migrate(self, *_):
        """Not this time."""

    def write_out(self, *flags):
        return self.makegood("migrate", "export", "--tool", TOOL, "--output", self.output, *flags)

    def check(self, *flags):
        done = subprocess.run([PROGRAM, "migrate", "check", "--store", self.url, *flags], env=clean_environment(),
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout

    def same_as_migrate_makes(self):
        """What pg_dump says of both, line by line."""
        other = self.make_database(on_database(self.url, "postgres"))
        self.makegood("migrate", "--store", other, "--outbox", OUTBOX, "--outbox", "makegood_outbox",
                      "--saga-log", "makegood_saga")
        dumps = []
        for url in (self.url, other):
            dump = subprocess.run(["pg_dump", "--schema-only", "--no-owner", "-T", "*goose*", "-T", "*alembic*", "-T",
                                   "databasechange*", url],
                                  env=clean_environment(), capture_output=True, text=True, timeout=60, check=True)
            lines = [line for line in dump.stdout.splitlines() if not line.startswith(("--", "\\"))]
            dumps.append(sorted(line for line in lines if line and "goose" not in line))
        self.assertEqual(*dumps)

    def test_makes_what_migrate_would_make_and_takes_it_back(self):
        self.write_out("--outbox", OUTBOX, "--outbox", "makegood_outbox", "--saga-log", "makegood_saga")
        RUN[TOOL](self.url, self.output, "up")
        self.assertEqual(self.check("--outbox", OUTBOX, "--saga-log", "makegood_saga")[0], 0)
        self.assertEqual(self.check(), (0, "makegood_outbox: the tables are up to date\n"))
        self.same_as_migrate_makes()
        if TOOL == "flyway":
            return  # There is no file for the way back.
        RUN[TOOL](self.url, self.output, "down")
        self.assertEqual(self.check()[0], 1)
        self.assertEqual(psql(self.url, "SELECT to_regclass('makegood_outbox') IS NULL",
                              "SELECT count(*) FROM makegood_migration"), [("t",), ("0",)])

    def test_exports_every_migration_and_none_twice(self):
        printed = self.makegood("migrate", "--print", "--store", self.url)
        count = sum(line.startswith("-- 0") for line in printed.splitlines())
        written = self.write_out("--first", "0041").splitlines()
        self.assertEqual(len(written), count * (2 if TOOL == "plain" else 1))
        self.assertIn("0041_", os.path.basename(written[0]))
        again = self.write_out("--first", "0050")
        self.assertEqual(again.count("is there already"), count)
        self.assertEqual(len(os.listdir(self.output)), len(written))
        for path in written:
            with open(path, encoding="utf-8") as file:
                self.assertIn("pg_advisory_xact_lock", file.read(), "it waits for other migrations")

    def test_serve_works_on_what_the_tool_has_made(self):
        self.write_out()
        RUN[TOOL](self.url, self.output, "up")
        node, inbox = self.start("--no-migrate"), self.receiver()
        self.route_to(node, inbox)
        self.enqueue(3)
        self.await_arrival(inbox, events(3))


if __name__ == "__main__":
    require_server()
    try:
        COMMAND = getattr(migration_tools, TOOL)() if hasattr(migration_tools, TOOL) else []
    except migration_tools.CannotRun as reason:
        print(f"SKIPPED: the export for {TOOL} is not run: {reason}", flush=True)
        sys.exit(77)
    unittest.main()
