"""What is asked of all executions that a filter names, and what has failed, grouped."""

import unittest

from ground import OK, SagaCase, on_both_stores, step

COUNT = 12


@on_both_stores
class Bulk:
    def fail_all(self):
        """Each needs a person at `charge`."""
        self.define(step("charge", on_failure={"RISK": {"manual": "look"}}))
        self.shop.script("/charge", *[(422, {"code": "RISK"})] * COUNT)
        for number in range(COUNT):
            self.execute(f"{self.id}-{number}")
        self.await_(lambda: self.waiting("manual") == COUNT, "all need somebody")

    def waiting(self, state):
        return int(self.sql(f"SELECT count(*) FROM makegood_saga_waiting"
                            f" WHERE state = '{state}' AND definition = '{self.order}'")[0][0])

    def ask_all(self, verb, **more):
        body = {"verb": verb, "filter": {"state": "manual", "definition": self.order, "code": "RISK"},
                "reason": "they look fine", **more}
        return self.node.ask("POST", "/api/saga/bulk", body)

    def job(self, number):
        return self.node.ask("GET", f"/api/jobs/{number}").json()

    def groups(self):
        answer = self.node.ask("GET", f"/api/saga/failures?definition={self.order}")
        return answer.json()["items"]

    def test_counts_then_asks_all_and_tells_each_journal(self):
        self.fail_all()
        self.assertEqual(self.ask_all("retry", dry_run=True).json(), {"count": COUNT})
        self.assertEqual(self.ask_all("retry", dry_run=True, limit=3).json(), {"count": 3})
        self.shop.script("/charge", OK)
        started = self.ask_all("retry", rate_per_second=100)
        self.assertEqual(started.status, 202, started.body)
        number = started.json()["job"]
        self.await_(lambda: self.job(number)["state"] == "done", "the job ends")
        self.assertEqual([self.job(number)[name] for name in ("total", "asked", "done", "refused")],
                         [COUNT, COUNT, COUNT, 0])
        self.await_(lambda: self.count_ended("completed") == COUNT, "all complete")
        journal = self.node.ask("GET", f"/api/saga/executions/{self.id}-3/journal?limit=1000").json()["items"]
        asked = [record for record in journal if record["reason"] == "they look fine"]
        self.assertTrue(asked and all(record["operator"] for record in asked))

    def test_lets_all_go_on_by_another_version(self):
        self.fail_all()
        self.define(step("charge", action="http:shop/pay", on_failure={"RISK": {"manual": "look"}}))
        self.assertEqual(self.ask_all("repin").status, 400)
        self.end_all("repin", to_version=2)
        self.end_all("retry")
        self.await_(lambda: self.count_ended("completed") == COUNT, "all complete")
        self.assertEqual(len(self.shop.at("/pay")), COUNT)
        shown = self.sql(f"SELECT DISTINCT component_name FROM makegood_saga_step_execution"
                         f" WHERE execution_id LIKE '{self.id}-%'")
        self.assertEqual([row[0] for row in shown], ["http:shop/pay"])
        self.define(step("pay"))
        answer = self.node.ask("POST", f"/api/saga/executions/{self.id}-0/repin", {"reason": "r", "version": 3})
        self.assertEqual(answer.status, 409, answer.body)

    def end_all(self, verb, **more):
        number = self.ask_all(verb, **more).json()["job"]
        self.await_(lambda: self.job(number)["state"] == "done", "the job ends")
        self.assertEqual(self.job(number)["done"], COUNT)

    def test_stands_goes_on_and_ends_when_it_is_told_to(self):
        self.fail_all()
        number = self.ask_all("cancel", rate_per_second=0.5).json()["job"]
        self.assertEqual(self.node.ask("POST", f"/api/jobs/{number}/pause", {}).json()["state"], "paused")
        self.assertEqual(self.node.ask("POST", f"/api/jobs/{number}/pause", {}).status, 409)
        self.assertEqual(self.node.ask("POST", f"/api/jobs/{number}/resume", {}).json()["state"], "running")
        self.assertEqual(self.node.ask("DELETE", f"/api/jobs/{number}").json()["state"], "cancelled")
        self.assertLess(self.job(number)["asked"], COUNT)
        # The same again goes on with those that still match.
        again = self.ask_all("cancel").json()["job"]
        self.await_(lambda: self.count_ended("cancelled") == COUNT, "all are cancelled")
        self.await_(lambda: self.job(again)["state"] == "done", "the job ends")

    def test_is_refused_without_a_state_or_a_step(self):
        answer = self.node.ask("POST", "/api/saga/bulk", {"verb": "skip", "filter": {}, "reason": "x"})
        self.assertEqual(answer.status, 400)
        self.assertIn("state", answer.json()["detail"])
        self.assertIn("step", answer.json()["detail"])

    def test_failures_are_grouped(self):
        self.fail_all()
        group, = self.groups()
        self.assertEqual((group["step"], group["code"], group["state"], group["count"]),
                         ("charge", "RISK", "manual", COUNT))
        self.assertTrue(group["example"].startswith(f"{self.id}-"))


if __name__ == "__main__":
    unittest.main()
