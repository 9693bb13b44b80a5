"""The PostgreSQL of a test that needs one, and databases of its own there.

It is the server that MAKEGOOD_POSTGRES names, or OUTBOX_TEST_DSN. A test that is skipped for want of one says MISSING.
"""

import os
import secrets
import subprocess
import unittest
import urllib.parse

from postgres_server import newest_of_debian

SERVER = os.environ.get("MAKEGOOD_POSTGRES") or os.environ.get("OUTBOX_TEST_DSN", "")
MISSING = ("MAKEGOOD_POSTGRES names no server: ./test starts one and sets it; by hand: export "
           "MAKEGOOD_POSTGRES=$(tests/support/postgres_server.py start /tmp/FOLDER)")

PSQL = newest_of_debian("psql") or "psql"  # What is in the path is a wrapper in Perl, which takes five times as long.

needs_postgres = unittest.skipUnless(SERVER, MISSING)


def on_database(url, name):
    return urllib.parse.urlsplit(url)._replace(path="/" + name).geturl()


def ask(url, sql):
    """What the statements answer, as text."""
    return subprocess.run([PSQL, "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql, url], check=True, capture_output=True,
                          text=True, timeout=60).stdout.strip()


def database_of(test):
    """The URL of a new database, which is gone after the test."""
    name = "test_" + secrets.token_hex(6)
    ask(SERVER, f"CREATE DATABASE {name}")
    test.addCleanup(ask, SERVER, f"DROP DATABASE {name} WITH (FORCE)")
    return on_database(SERVER, name)
