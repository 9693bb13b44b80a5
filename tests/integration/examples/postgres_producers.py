"""How each producer of examples/ for PostgreSQL is made ready, as producers.py does it for SQLite.

A command takes the database's URL as its last argument.
"""

import fcntl
import filecmp
import os
import shutil
import sys

from producers import (BUILT_WITHIN, EXAMPLES, FETCHED, CannotRun, build_go, build_java, fetch_from_npm, need, run,
                       source)

JARS = {
    "org/postgresql/postgresql/42.7.14/postgresql-42.7.14.jar":
        "73914527305a40cce504b0d3d90b23caf565136912d607ae8ae7c5895512332c",
    "com/google/code/gson/gson/2.15.0/gson-2.15.0.jar":
        "96d3dd843dc2911de01cdabcd50064cb9e860353102a0a78c96fd833d396fc7d",
}


def psql():
    need("psql")
    return ["psql", "-X", "-v", "ON_ERROR_STOP=1", "-f", source("producers", "psql", "producer.sql")]


def fetch_from_pypi(kind="producer"):
    folder = os.path.join(FETCHED, f"{kind}-python")
    wanted, mark = source(f"{kind}s", "python", "requirements.txt"), os.path.join(folder, "installed.txt")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(FETCHED, f"{kind}-python.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Tests that start together install once.
        if os.path.exists(mark) and filecmp.cmp(mark, wanted, shallow=False):
            return folder
        done = run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade",
                    "--target", folder, "--requirement", wanted], EXAMPLES, BUILT_WITHIN)
        if done.returncode != 0:
            raise CannotRun("pip install failed:\n" + done.stderr[-600:])
        shutil.copy(wanted, mark)
    return folder


def python_with(script):
    return ["env", f"PYTHONPATH={fetch_from_pypi()}", sys.executable, "-B", source("producers", "python", script)]


def node_postgres():
    need("node")
    return ["node", os.path.join(fetch_from_npm(), "producer_postgres.mjs")]


COMMANDS = {
    "psql": psql,
    "psycopg": lambda: python_with("producer_psycopg.py"),
    "sqlalchemy": lambda: python_with("producer_sqlalchemy.py"),
    "node_postgres": node_postgres,
    "pgx": lambda: build_go("./postgres", "producer-pgx"),
    "pgjdbc": lambda: build_java("PostgresProducer", JARS),
}
