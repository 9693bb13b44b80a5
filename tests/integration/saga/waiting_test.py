"""Named cases of waiting: for events that come before or after their step, for a time across a restart, for a start."""

import datetime
import signal
import time
import unittest

from ground import LATER, SagaCase, on_both_stores, step

PAID = {"name": "paid", "action": "event:paid"}


def in_seconds(seconds):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@on_both_stores
class Waiting:
    def tell(self, event="paid", **more):
        return self.node.ask("POST", f"/api/saga/executions/{self.id}/events", {"event": event, **more})

    def step_named(self, name):
        return next(step for step in self.show()["steps"] if step["stepId"] == name)

    def test_for_an_event_that_is_told_over_rest(self):
        self.define(step("reserve"), PAID, step("ship"), output={"cents": "${paid.cents}"})
        self.execute()
        self.await_(lambda: self.show().get("waitsFor") == "event", "it waits")
        self.assertEqual(self.show()["state"], "waiting")
        self.assertTrue(self.step_named("paid")["isAwaiting"])
        self.assertEqual(self.shop.at("/ship"), [])
        refused = self.tell("payd")
        self.assertEqual(refused.status, 409)
        self.assertIn("No step waits for the event payd.", refused.json()["detail"])
        first = self.tell(data={"cents": 1990}, id="payment-12").json()
        self.assertEqual(self.await_state("completed")["output"], {"cents": 1990})
        self.assertIsNotNone(first["request"])

    def test_takes_an_event_that_was_inserted_before_its_step(self):
        """In the transaction of somebody else; the same one again counts once."""
        self.define(step("reserve"), {"name": "pause", "wait": "1s"}, PAID, {**PAID, "name": "paidAgain"})
        self.execute()
        payload = f'{{"execution": "{self.id}", "event": "paid", "data": {{"cents": 1.10}}}}'
        self.sql("INSERT INTO makegood_saga (topic, event_id, payload)"
                 f" VALUES ('makegood.saga.event', 'pay-{self.id}', '{payload}')")
        self.await_(lambda: self.show().get("waitsFor") == "event", "it waits for the second event")
        self.assertEqual(self.step_named("paid")["state"], "succeeded")
        self.assertEqual(self.step_named("paid")["output"], {"cents": 1.10})
        for _ in range(2):
            self.tell(data=2, id="second")
        self.await_state("completed")
        self.assertEqual(sum(record["kind"] == "event_kept" for record in self.journal()), 2)

    def test_for_an_event_that_does_not_come_undoes_what_was_done(self):
        self.define(step("reserve"), {**PAID, "timeout": "500ms"}, step("ship"))
        self.execute()
        self.assertEqual(self.await_state("compensated")["failure"]["code"], "TX.TIMEOUT")
        self.assertEqual(len(self.shop.at("/undo-reserve")), 1)
        late = self.tell()
        self.assertEqual(late.status, 409)
        self.assertIn("It has ended.", late.json()["detail"])

    def test_for_a_participant_that_reports_progress(self):
        self.define(step("charge", timeout="3s"))
        self.shop.script("/charge", LATER)
        self.execute()
        charge = self.shop.await_calls("/charge")
        began = time.monotonic()
        for percent in range(5):
            self.await_(lambda: time.monotonic() > began + percent, "a second passes")  # noqa: B023, called at once
            self.assertEqual(self.call_back(charge, "progress", output={"percent": percent}).status, 200)
        self.await_(lambda: self.step_named("charge")["progress"] == {"percent": 4}, "the last report is shown")
        self.call_back(charge, output={"id": 7})
        self.await_state("completed")
        self.assertEqual(len(self.shop.at("/charge")), 1)

    def test_of_a_time_survives_a_death(self):
        self.define(step("reserve"), {"name": "pause", "wait": "6s"}, step("ship"))
        self.execute()
        self.await_(lambda: self.show().get("waitsFor") == "timer", "it waits")
        until = self.step_named("pause")["awaitedUntil"]
        self.node.end(signal.SIGKILL)
        self.node = self.start_node()
        self.assertEqual(self.step_named("pause")["awaitedUntil"], until)
        self.await_state("completed")
        self.assertEqual(len(self.shop.at("/reserve")), 1)
        self.assertGreaterEqual(self.step_named("ship")["startedAt"], until)

    def test_for_the_time_that_its_start_names(self):
        self.define(step("reserve"))
        at = in_seconds(2)
        self.assertEqual(self.execute(start_at=at).status, 202)
        self.await_(lambda: self.show().get("waitsFor") == "start", "it waits for its time")
        self.assertEqual(self.show()["state"], "pending")
        self.assertEqual(self.shop.calls, [])
        self.assertGreaterEqual(self.await_state("completed")["startedAt"], at)

    def test_for_its_start_can_be_cancelled(self):
        self.define(step("reserve"))
        self.execute(start_at=in_seconds(3600))
        self.await_(lambda: self.show().get("waitsFor") == "start", "it waits for its time")
        self.assertEqual(self.operate("retry").status, 409)
        for verb, state in (("pause", "paused"), ("resume", "pending")):
            self.assertEqual((self.operate(verb).status, self.show()["state"]), (200, state))
        self.assertEqual(self.operate("cancel").status, 200)
        self.assertEqual(self.show()["state"], "cancelled")
        self.assertEqual(self.shop.calls, [])


if __name__ == "__main__":
    unittest.main()
