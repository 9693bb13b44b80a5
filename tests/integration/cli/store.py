"""A SQLite file that the program and the test both work on."""

import contextlib
import json
import os
import sqlite3

from program import ProgramCase

STORE = ("--store", "sqlite:shop.db")
AT_ONCE = ("--wait", "0")
WHO = ("--operator", "ann", "--reason", "a try", *AT_ONCE)
ENQUEUE = ("INSERT INTO makegood_outbox (topic, payload) VALUES ('order.placed', '{}')",)


class StoreCase(ProgramCase):
    def execute(self, *statements):
        """As another program would: on its own connection, in one transaction. Answers the last statement's rows."""
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "shop.db"))) as db, db:
            for statement in statements:
                rows = db.execute(*statement).fetchall()
        return rows

    def json(self, *arguments, **variables):
        return json.loads(self.succeed(*arguments, "--json", **variables))

    def kill(self, last_error="no answer", sequence=1, destination="fn:billing"):
        """A dead letter, as the owner of the lane would have written it."""
        self.execute(ENQUEUE, ("""
            INSERT INTO makegood_outbox_parked (sequence, destination, tenant_id, dispatch_key, slot, state, blocks,
              attempts, due_at, error_code, last_error, story, parked_at, changed_at, event_id)
            SELECT ?1, ?2, 'default', '', 0, 'dead', 0, 12, 0, 'TX.TIMEOUT', ?3, '[]', 0, 0,
              coalesce((SELECT event_id FROM makegood_outbox WHERE sequence = ?1), '')
            """, (sequence, destination, last_error)))

    def write_turn(self, position, at=60_000, lease_until=70_000, owner="owner-1"):
        self.execute(("""
            INSERT INTO makegood_outbox_turn (lane, turn, owner, at, lease_until, locked, reached, settled, position)
            VALUES (0, 12, ?, ?, ?, 1, ?, 1, ?)
            """, (owner, at, lease_until, position["reached"], json.dumps(position))))

    def write_routes(self, *routes):
        """Pairs of pattern and destination."""
        document = {"routes": [{"pattern": pattern, "destination": name} for pattern, name in routes],
                    "destinations": [{"name": name, "ordering": "block"} for name in {name for _, name in routes}]}
        self.execute(("INSERT INTO makegood_outbox_route (version, from_sequence, at, owner, document) "
                      "VALUES (1, 0, 0, 'owner-1', ?)", (json.dumps(document),)))

    def requests(self):
        """What was asked for, as its owner will read it."""
        return self.execute(("SELECT kind, sequence, destination, operator, reason FROM makegood_outbox_request "
                             "ORDER BY id",))
