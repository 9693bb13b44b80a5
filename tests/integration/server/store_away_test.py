"""A store that is away at the start, or goes away later: the process stays, and readiness tells."""

import contextlib
import os
import shutil
import sqlite3
import unittest

from daemon import DaemonCase


class StoreAway(DaemonCase):
    def expect_not_ready(self, daemon, *words):
        answer = None

        def is_told():
            nonlocal answer
            answer = daemon.ask("GET", "/readyz")
            return answer.status == 503 and all(word in answer.body.decode() for word in words)

        self.await_(is_told, f"readiness tells {words}")
        self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        self.assertEqual(daemon.ask("GET", "/healthz").status, 200)

    def expect_ready(self, daemon):
        self.await_(lambda: daemon.ask("GET", "/readyz").status == 200, "it is ready again")

    def test_because_its_folder_is_missing(self):
        daemon = self.start(store="sqlite:missing/shop.db")
        self.expect_not_ready(daemon, "makegood_outbox")
        self.assertEqual(daemon.enqueue().status, 503)
        os.mkdir(self.path("missing"))
        self.expect_ready(daemon)
        self.assertEqual(daemon.enqueue().status, 201)
        self.assertEqual(daemon.log().count("store away"), 1, "told once, not at each try")
        self.assertEqual(daemon.end()[0], 0)

    def test_because_its_file_is_something_else(self):
        self.write("shop.db", "this is not a database, and longer than a page header " * 100)
        daemon = self.start()
        self.expect_not_ready(daemon, "STORAGE.CORRUPT")
        os.remove(self.path("shop.db"))
        self.expect_ready(daemon)

    def test_because_somebody_has_locked_it(self):
        self.start_ready().end()
        with contextlib.closing(sqlite3.connect(self.path("shop.db"), isolation_level=None)) as db:
            db.execute("BEGIN EXCLUSIVE")
            daemon = self.start()
            self.expect_not_ready(daemon, "STORAGE.UNAVAILABLE")
            db.execute("ROLLBACK")
            self.expect_ready(daemon)

    def test_because_it_is_a_copy(self):
        self.start_ready().end()
        shutil.copy(self.path("shop.db"), self.path("copy.db"))
        daemon = self.start(store="sqlite:copy.db")
        self.expect_not_ready(daemon, "STORAGE.FOREIGN", "makegood adopt")
        self.assertEqual(daemon.end()[0], 0)

    def test_later(self):
        daemon = self.start_ready()
        with contextlib.closing(sqlite3.connect(self.path("shop.db"), isolation_level=None)) as db:
            db.execute("BEGIN EXCLUSIVE")
            self.expect_not_ready(daemon, "STORAGE.UNAVAILABLE")
            db.execute("ROLLBACK")
        self.expect_ready(daemon)
        self.assertEqual(daemon.enqueue().status, 201)

    def test_does_not_keep_it_from_stopping(self):
        daemon = self.start(store="sqlite:missing/shop.db")
        self.expect_not_ready(daemon, "makegood_outbox")
        code, seconds = daemon.end()
        print(f"stop without a store {seconds:.3f} s", flush=True)
        self.assertEqual(code, 0)
        self.assertLess(seconds, 10)


if __name__ == "__main__":
    unittest.main()
