"""Stores that were written once must mean the same to every later build: golden/ has a dump of each, with executions
that have ended, that wait, and that wait for somebody. They are loaded, migrated by this build, and go on.

golden_test.py --write   dumps them anew; only for a case that is added, never because a test fails
"""

import json
import os
import sqlite3
import subprocess
import sys
import unittest

from ground import BROKEN, LATER, callback_path, on_both_stores, step
from place import PROGRAM, clean_environment, program

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
IS_WRITING = "--write" in sys.argv
ONE_ATTEMPT = {"base": "50ms", "attempts_max": 1}
MUCH_LATER = {"base": "10s", "cap": "10s"}
DEFINITIONS = {
    "well": ([step("reserve"), step("charge")], {"output": {"payment": "${charge.payment}"}}),
    "undone": ([step("reserve"), step("charge", retry=ONE_ATTEMPT)], {}),
    "waits": ([step("reserve"), step("charge", timeout="1h"), step("ship")], {}),
    "retries": ([step("reserve"), step("charge", retry=MUCH_LATER)], {}),
    "asks": ([step("reserve"), step("charge", on_failure={"RISK": {"manual": "needs review"}})], {}),
}


def dump_path(store):
    return os.path.join(GOLDEN, f"{store}.sql")


@on_both_stores
class Golden:
    IS_EMPTY = True
    VARIABLES = {"MAKEGOOD_TX_SAGA_RETENTION": "0"}  # They ended long ago.

    def setUp(self):
        self.told = self.load()
        super().setUp()

    def load(self):
        if self.STORE == "sqlite":
            database = sqlite3.connect(self.ground.url.removeprefix("sqlite:"))
            with open(dump_path("sqlite"), encoding="utf-8") as file:
                database.executescript(file.read())
            database.close()
        else:
            subprocess.run([program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", dump_path("postgres"),
                            self.ground.url], check=True, capture_output=True, env=clean_environment())
        self.adopt()
        with open(os.path.join(GOLDEN, f"{self.STORE}.json"), encoding="utf-8") as file:
            return json.load(file)

    def adopt(self):
        """It is a copy, and nothing is sent from a copy before somebody says that it is the real one."""
        subprocess.run([PROGRAM, "adopt", "--store", self.ground.url], check=True, capture_output=True,
                       env=clean_environment())

    def test_store_goes_on_where_it_was_left(self):
        self.assertEqual(self.show("well")["output"], {"payment": "p-1"})
        self.assertEqual([self.show(each)["state"] for each in ("well", "undone", "asks", "nobody")],
                         ["completed", "compensated", "manual", "failed"])
        self.expect_waits_to_complete()
        self.expect_the_same_key("retries")
        self.expect_a_late_answer_to_be_undone()
        self.expect_settled("asks", "compensate", "compensated")
        self.define(step("charge"), name="nobody")
        self.expect_settled("nobody", "retry", "completed")

    def expect_waits_to_complete(self):
        answer = self.node.ask("POST", self.told["waits"]["callback"], {"outcome": "ok", "output": {"payment": "p-9"}})
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(self.await_state("completed", identity="waits")["steps"][1]["output"], {"payment": "p-9"})

    def expect_the_same_key(self, identity):
        self.await_state("completed", identity=identity)
        keys = {call.headers["idempotency-key"] for call in self.shop.at("/charge")
                if call.headers["makegood-execution"] == identity}
        self.assertEqual(keys, {self.told[identity]["key"]})

    def expect_a_late_answer_to_be_undone(self):
        answer = self.node.ask("POST", self.told["undone"]["callback"], {"outcome": "ok"})
        self.assertEqual(answer.status, 200, answer.body)
        undo = self.shop.await_calls("/undo-charge")
        self.assertEqual(undo.headers["makegood-action-key"], self.told["undone"]["key"])
        self.assertEqual(undo.headers["makegood-round"], "2")

    def expect_settled(self, identity, verb, state):
        path = f"/api/saga/executions/{identity}/{verb}"
        self.assertEqual(self.node.ask("POST", path, {"reason": "a try"}).status, 200)
        self.await_state(state, identity=identity)


class Writer:
    """Makes a store with all of them, and dumps it."""

    def test_write(self):
        for name, (steps, more) in DEFINITIONS.items():
            self.define(*steps, name=name, **more)
        self.shop.script("/charge", (200, {"payment": "p-1"}))
        self.begin("well", "completed")
        self.shop.script("/charge", BROKEN)
        told = {"undone": self.begin("undone", "compensated"), "retries": self.begin("retries", "waiting")}
        self.shop.script("/charge", LATER)
        told["waits"] = self.begin("waits", "waiting")
        self.shop.script("/charge", (422, {"code": "RISK"}))
        self.begin("asks", "manual")
        self.sql("INSERT INTO makegood_saga (topic, event_id, payload) VALUES ('nobody', 'nobody', '{}')")
        self.await_state("failed", identity="nobody")
        self.node.end()
        self.dump(told)

    def begin(self, identity, state):
        self.shop.forget_calls()
        self.assertEqual(self.execute(identity, definition=identity).status, 202)
        self.await_state(state, identity=identity)
        call = self.shop.await_calls("/charge")
        return {"key": call.headers["idempotency-key"], "callback": callback_path(call)}

    def dump(self, told):
        os.makedirs(GOLDEN, exist_ok=True)
        with open(os.path.join(GOLDEN, f"{self.STORE}.json"), "w", encoding="utf-8") as file:
            json.dump(told, file, indent=1)
            file.write("\n")
        with open(dump_path(self.STORE), "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in self.lines())

    def lines(self):
        if self.STORE == "sqlite":
            return sqlite3.connect(self.ground.url.removeprefix("sqlite:")).iterdump()
        done = subprocess.run([program("pg_dump"), "--no-owner", "--no-privileges", self.ground.url], check=True,
                              capture_output=True, text=True)
        # What begins so is known to the newest psql only.
        return [line for line in done.stdout.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]


if IS_WRITING:
    sys.argv.remove("--write")
    del GoldenOnSqlite, GoldenOnPostgres  # noqa: F821, the decorator has made them
    on_both_stores(Writer)

if __name__ == "__main__":
    unittest.main()
