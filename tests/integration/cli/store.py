"""A SQLite file that the program and the test both work on."""

import contextlib
import os
import sqlite3

from program import ProgramCase

STORE = ("--store", "sqlite:shop.db")
WHO = ("--operator", "ann", "--reason", "a try")
ENQUEUE = ("INSERT INTO makegood_outbox (topic, payload) VALUES ('order.placed', '{}')",)


class StoreCase(ProgramCase):
    def execute(self, *statements):
        """As another program would: on its own connection, in one transaction. Answers the last statement's rows."""
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "shop.db"))) as db, db:
            for statement in statements:
                rows = db.execute(*statement).fetchall()
        return rows
