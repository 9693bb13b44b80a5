"""Executions that are past their retention, and the statistics that still count them."""

import json
import subprocess
import unittest

from ground import BROKEN, OK, PROGRAM, clean_environment, on_both_stores, step


class Told:
    def makegood(self, *arguments):
        door = f"{self.ground.nodes[-1].log_path.rpartition('/')[0]}/door"
        done = subprocess.run([PROGRAM, *arguments, "--server", f"http://{self.node.address}"], capture_output=True,
                              text=True, timeout=60, check=False,
                              env=clean_environment(MAKEGOOD_SERVER_DOOR_FOLDER=door))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def statistics(self, **query):
        words = "&".join(f"{name}={value}" for name, value in {"definition": self.order, **query}.items())
        items = self.node.ask("GET", f"/api/saga/statistics?{words}").json()["items"]
        return items[0] if items else None


@on_both_stores
class Statistics(Told):
    def test_count_how_executions_ended_and_how_long_they_took(self):
        self.define(step("reserve"))
        for number in range(3):
            self.assertEqual(self.execute(f"{self.id}-{number}", wait=20).json()["state"], "completed")
        self.shop.script("/reserve", (422, {"code": "DECLINED"}))
        self.execute(f"{self.id}-3", wait=20)
        row = self.statistics()
        self.assertEqual((row["completed"], row["compensated"], row["ended"], row["version"]), (3, 1, 4, 1))
        self.assertLess(0, row["medianMs"])
        self.assertLessEqual(row["medianMs"], row["p99Ms"])
        self.assertIsNone(self.statistics(tenant="acme"))
        self.assertIsNone(self.statistics(until="2020-01-01T00:00:00Z"))
        told = self.makegood("saga", "stats", "--definition", self.order)
        self.assertIn("MEDIAN", told)
        self.assertIn(self.order, told)
        metrics = self.node.ask("GET", "/metrics").body
        self.assertIn("tx_saga_upkeep_rows_total", metrics if isinstance(metrics, str) else metrics.decode())


@on_both_stores
class Purged(Told):
    VARIABLES = {"MAKEGOOD_TX_SAGA_RETENTION": "1s"}

    def await_purge(self, identity):
        """The newest row of the log stays, so that it is seen that the log is still the same."""
        self.sql("INSERT INTO makegood_saga (topic, payload) VALUES ('makegood.saga.annotate', '{}')")
        self.await_(lambda: self.node.ask("GET", f"/api/saga/executions/{identity}").status == 404, "it is purged")

    def test_leave_the_lists_and_not_the_statistics(self):
        self.define(step("reserve"))
        self.assertEqual(self.execute(wait=20).json()["state"], "completed")
        self.await_purge(self.id)
        left = self.sql(f"SELECT count(*) FROM makegood_saga WHERE event_id = '{self.id}'")
        self.assertEqual(int(left[0][0]), 0)
        self.assertEqual(self.statistics()["completed"], 1)
        listed = json.loads(self.makegood("saga", "list", "--definition", self.order, "--json"))
        self.assertEqual(listed["items"], [])
        self.assertGreaterEqual(listed["purgedCount"], 1)
        self.assertIn("are kept no longer; 'makegood saga stats' still counts them", self.makegood("saga", "list"))

    def test_are_not_those_that_failed(self):
        self.shop.script("/charge", (422, {"code": "DECLINED"}))
        self.shop.script("/undo-reserve", BROKEN)
        self.define(step("reserve"), step("charge"), give_up_after="1s")
        self.execute()
        self.await_state("failed")
        self.define(step("quick"), name=f"{self.order}-quick")
        other = {"definition": f"{self.order}-quick", "id": f"{self.id}-quick", "input": {}, "wait": 20}
        self.node.ask("POST", "/api/saga/execute", other)
        self.await_purge(f"{self.id}-quick")
        self.assertEqual(self.show()["state"], "failed")
        self.shop.script("/undo-reserve", OK)


if __name__ == "__main__":
    unittest.main()
