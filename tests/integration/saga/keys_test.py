"""Executions of one key: one after another, whatever becomes of the one that holds it."""

import signal
import unittest
from datetime import datetime, timedelta, timezone

from ground import BROKEN, LATER, OK, SagaCase, on_both_stores, step


@on_both_stores
class Keys:
    def begin_first(self, **more):
        """`first` holds the key, and waits for a callback."""
        self.define(step("charge", timeout="1h"), **more)
        self.shop.script("/charge", LATER)
        self.execute(f"{self.id}-first", key=self.id)
        call = self.shop.await_calls("/charge")
        # An owner that dies before it has recorded the 202 makes its successor call again.
        self.await_(lambda: self.show(f"{self.id}-first").get("waitsFor") == "callback", "the 202 is recorded")
        return call

    def state(self, name):
        return self.show(f"{self.id}-{name}").get("state")

    def start(self, name, **more):
        return self.execute(f"{self.id}-{name}", key=self.id, **more)

    def blocked(self):
        keys = self.node.ask("GET", "/api/saga/keys?limit=1000").json()["items"]
        return [key for key in keys if key["key"] == self.id]

    def test_let_one_run_and_list_who_waits(self):
        call = self.begin_first()
        for name in ("second", "third"):
            self.start(name)
        self.await_(lambda: self.blocked() and self.blocked()[0]["waiting"] == 2, "both wait")
        blocked = self.blocked()[0]
        self.assertEqual((blocked["holder"], blocked["next"]), (f"{self.id}-first", f"{self.id}-second"))
        self.assertEqual(self.show(f"{self.id}-second")["waitsFor"], "key")
        self.assertEqual(len(self.shop.at("/charge")), 1)
        self.shop.script("/charge", OK, OK)
        self.assertEqual(self.call_back(call).status, 200)
        for name in ("first", "second", "third"):
            self.await_state("completed", identity=f"{self.id}-{name}")
        keys = [each.headers["idempotency-key"].split("/")[1] for each in self.shop.at("/charge")]
        self.assertEqual(keys, [f"{self.id}-{name}" for name in ("first", "second", "third")])
        self.assertEqual(self.blocked(), [])

    def test_are_known_to_the_next_owner(self):
        self.begin_first()
        self.start("second")
        self.await_(self.blocked, "it waits")
        self.node.end(signal.SIGKILL)
        self.node = self.start_node()
        self.assertEqual(self.start("third", on_busy="reject", wait=20).json()["status"], "CANCELLED")
        self.assertEqual(len(self.shop.at("/charge")), 1)
        self.assertEqual(self.state("second"), "pending")

    def test_refuse_a_start_or_name_the_holder(self):
        self.begin_first(on_busy="reject")
        refused = self.start("second", wait=20).json()
        self.assertEqual((refused["status"], refused["failure"]["code"]), ("CANCELLED", "SAGA.KEY_BUSY"))
        self.assertIn(f"{self.id}-first", refused["failure"]["error"])
        told = self.start("third", wait=20, on_busy="return").json()
        self.assertEqual((told["status"], told["output"]), ("CANCELLED", {"execution": f"{self.id}-first"}))
        self.assertEqual(self.blocked(), [])

    def test_refuse_a_start_that_named_a_later_time_when_that_comes(self):
        self.begin_first()
        soon = datetime.now(timezone.utc) + timedelta(seconds=5)
        self.start("second", on_busy="reject", start_at=soon.isoformat())
        self.await_(lambda: self.show(f"{self.id}-second").get("waitsFor") == "start", "it waits for its time")
        self.await_state("cancelled", identity=f"{self.id}-second")
        self.assertEqual(len(self.shop.at("/charge")), 1)

    def test_are_held_by_what_has_failed_until_somebody_has_settled_it(self):
        self.define(step("charge"), step("ship"), give_up_after="1s")
        self.shop.script("/ship", (422, {"code": "NO_STOCK"}))
        self.shop.script("/undo-charge", *[BROKEN] * 40)
        self.start("first")
        self.await_state("failed", identity=f"{self.id}-first")
        self.start("second")
        self.await_(self.blocked, "it waits")
        self.assertEqual(self.blocked()[0]["state"], "failed")
        self.shop.script("/ship", OK)
        answer = self.node.ask("POST", f"/api/saga/executions/{self.id}-first/resolve",
                               {"reason": "seen", "step": "charge", "outcome": "undone"})
        self.assertEqual(answer.status, 200, answer.body)
        self.await_state("completed", identity=f"{self.id}-second")

    def test_can_be_waited_for_no_longer(self):
        self.begin_first()
        self.start("second")
        self.await_(self.blocked, "it waits")
        path = f"/api/saga/executions/{self.id}-second"
        refused = self.node.ask("POST", f"{path}/skip", {"reason": "a try", "step": "charge"})
        self.assertEqual(refused.status, 409)
        cancelled = self.node.ask("POST", f"{path}/cancel", {"reason": "a try"})
        self.assertEqual((cancelled.status, self.state("second")), (200, "cancelled"))
        self.assertEqual(self.blocked(), [])


if __name__ == "__main__":
    unittest.main()
