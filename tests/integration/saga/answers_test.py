"""Named cases of answers: what was done, what may be done, and what is only in the way."""

import threading
import time
import unittest

from ground import BROKEN, LATER, OK, PROXY, on_both_stores, pivot, step

REFUSED = (422, {"code": "INSUFFICIENT_FUNDS"})


def key_of(call):
    return call.headers["idempotency-key"]


@on_both_stores
class Answers:
    def test_commit_then_500_is_repeated_with_the_same_key(self):
        self.define(step("charge"))
        self.shop.script("/charge", BROKEN, OK)
        self.assertEqual(self.execute(wait=20).json()["status"], "COMPLETED")
        first, second = self.shop.at("/charge")
        self.assertEqual(key_of(first), key_of(second))
        self.assertEqual(first.body, second.body)

    def test_commit_then_500_for_ever_is_undone(self):
        self.define(step("reserve"), step("charge", retry={"base": "50ms", "attempts_max": 3}))
        self.shop.script("/charge", BROKEN)
        self.assertEqual(self.execute(wait=20).json()["status"], "COMPENSATED")
        self.assertEqual(self.shop.paths(), ["/reserve", *["/charge"] * 3, "/undo-charge", "/undo-reserve"])
        undo = self.shop.at("/undo-charge")[0]
        self.assertEqual(undo.headers["makegood-action-key"], key_of(self.shop.at("/charge")[0]))

    def test_404_during_a_rollout_is_waited_for_and_never_compensated(self):
        self.define(step("reserve"), step("charge", retry={"base": "50ms", "cap": "200ms", "attempts_max": 2}))
        self.shop.script("/charge", *[PROXY] * 6, OK)
        self.assertEqual(self.execute(wait=30).json()["status"], "COMPLETED")
        self.assertEqual(len(self.shop.at("/charge")), 7)
        self.assertFalse([path for path in self.shop.paths() if path.startswith("/undo")])

    def test_404_of_a_proxy_on_a_refund_keeps_it_open(self):
        self.define(step("charge"), step("ship"))
        self.shop.script("/ship", REFUSED)
        self.shop.script("/undo-charge", *[PROXY] * 3, OK)
        self.assertEqual(self.execute(wait=30).json()["status"], "COMPENSATED")
        self.assertEqual(len(self.shop.at("/undo-charge")), 4)

    def test_404_with_a_code_on_a_refund_of_what_was_done_keeps_it_open(self):
        self.define(step("charge"), step("ship"))
        self.shop.script("/ship", REFUSED)
        self.shop.script("/undo-charge", (404, {"code": "NO_SUCH_PAYMENT"}))
        self.execute()
        self.shop.await_calls("/undo-charge", 3)
        self.assertEqual(self.show()["state"], "compensating")
        self.shop.script("/undo-charge", OK)
        self.await_state("compensated")

    def test_404_with_a_code_on_a_refund_of_what_nobody_saw_is_enough(self):
        self.define(step("charge", retry={"base": "50ms", "attempts_max": 1}))
        self.shop.script("/charge", BROKEN)
        self.shop.script("/undo-charge", (404, {"code": "NO_SUCH_PAYMENT"}))
        self.assertEqual(self.execute(wait=20).json()["status"], "COMPENSATED")
        self.assertEqual(len(self.shop.at("/undo-charge")), 1)

    def test_retry_by_a_rule_at_a_barrier_has_a_new_key_and_counts_alone(self):
        self.define(step("charge", participant="barrier", on_failure={"PAYMENT_TIMEOUT": {"retry": 2}}))
        self.shop.script("/charge", BROKEN, (422, {"code": "PAYMENT_TIMEOUT"}), OK)
        self.assertEqual(self.execute(wait=20).json()["status"], "COMPLETED")
        calls = self.shop.at("/charge")
        self.assertEqual([call.headers["makegood-round"] for call in calls], ["1", "1", "2"])
        self.assertEqual([key_of(call) for call in calls[:2]], [key_of(calls[0])] * 2)
        self.assertNotEqual(key_of(calls[1]), key_of(calls[2]))

    def test_pivot_that_is_unknown_never_turns_back(self):
        self.define(step("charge"), pivot("confirm", retry={"base": "50ms", "attempts_max": 2}), deadline="3s")
        self.shop.script("/confirm", BROKEN)
        self.execute()
        self.await_state("manual")
        cancelled = self.operate("cancel")
        self.assertEqual(cancelled.status, 409, cancelled.body)
        self.shop.script("/confirm", REFUSED)  # Of one attempt; the others may be done.
        self.assertEqual(self.operate("retry", step="confirm").status, 200)
        self.shop.await_calls("/confirm", 3)
        self.await_state("manual")
        started = self.shop.at("/charge")[0].at
        self.await_(lambda: time.monotonic() > started + 4, "the deadline is over")
        self.assertEqual(self.show()["state"], "manual")
        self.assertEqual(self.operate("resolve", step="confirm", outcome="done").status, 200)
        self.await_state("completed")
        self.assertFalse(self.shop.at("/undo-charge"))

    def test_compensation_that_is_down_holds_up_no_other(self):
        payments = self.participants("payments").open()
        twice = {"base": "50ms", "cap": "100ms", "attempts_max": 2}
        self.define(step("reserve"), step("charge", payments.name, retry=twice), step("ship"))
        self.shop.script("/ship", REFUSED)
        payments.script("/undo-charge", BROKEN)
        self.execute()
        self.shop.await_calls("/undo-reserve")
        self.assertEqual(self.show()["state"], "compensating")
        payments.script("/undo-charge", OK)
        self.assertEqual(self.await_state("compensated")["open"], [])

    def test_cancel_while_a_step_is_in_flight_waits_for_it(self):
        may_answer = threading.Event()

        def slow(_):
            may_answer.wait(20)
            return OK

        self.addCleanup(may_answer.set)
        self.define(step("charge", timeout="20s"), step("ship"))
        self.shop.script("/charge", slow)
        self.execute()
        self.shop.await_calls("/charge")
        self.assertEqual(self.operate("cancel").status, 200)
        self.assertEqual(self.shop.paths(), ["/charge"])
        may_answer.set()
        self.await_state("cancelled")
        self.assertEqual(self.shop.paths(), ["/charge", "/undo-charge"])


@on_both_stores
class Words:
    """What no table could carry harms one execution at most, and never those beside it."""

    def expect_others_go_on(self):
        self.shop.scripts = {}
        self.assertEqual(self.execute(f"{self.id}-beside", wait=20).json()["status"], "COMPLETED")

    def test_a_code_that_is_not_utf8_is_kept_with_question_marks(self):
        self.define(step("reserve"), step("charge"))
        self.shop.script("/charge", (422, b'{"code": "NO\xffFUNDS\\u0000"}'))
        self.assertEqual(self.execute(wait=20).json()["status"], "COMPENSATED")
        self.assertEqual(self.show()["failure"]["code"], "NO?FUNDS ")
        self.expect_others_go_on()

    def test_a_code_that_is_endless_is_cut(self):
        self.define(step("charge"))
        self.shop.script("/charge", (422, {"code": "C" * 1_000}))
        self.assertEqual(self.execute(wait=20).json()["status"], "COMPENSATED")
        self.assertEqual(self.show()["failure"]["code"], "C" * 200)

    def test_an_execution_with_the_longest_id_tells_that_it_has_ended(self):
        self.define(step("charge"), on_end={"topic": f"ended.{self.order}.v1"})
        self.assertEqual(self.execute("i" * 128, wait=20).json()["status"], "COMPLETED")
        self.expect_others_go_on()

    def test_a_start_by_sql_that_cannot_be_kept_fails_alone(self):
        self.define(step("charge"))
        column, names = "topic, event_id, tenant_id, dispatch_key, payload", "'{}', '{}', '{}', '{}', '{{}}'"
        for number, (tenant, key) in enumerate([("default", "k" * 3000), ("t" * 300, ""), ("default", "a\x02b")]):
            values = names.format(self.order, f"{self.id}-{number}", tenant, key)
            self.sql(f"INSERT INTO makegood_saga ({column}) VALUES ({values})")
        for number in (0, 2):
            failed = self.await_state("failed", identity=f"{self.id}-{number}")
            self.assertEqual(failed["failure"]["code"], "SAGA.INVALID_START")
        self.expect_others_go_on()
        self.assertEqual(len(self.shop.at("/charge")), 1)


@on_both_stores
class Bodies:
    def test_of_an_approval_with_changed_input_is_what_is_sent_and_is_in_the_journal(self):
        self.define(step("charge", approval={"reason": "large"}))
        self.execute()
        self.await_(lambda: self.show()["waitsFor"] == "approval", "it asks")
        answer = self.operate("decide", step="charge", decision="approve", input={"cents": 42})
        self.assertEqual(answer.status, 200, answer.body)
        self.await_state("completed")
        self.assertEqual(self.shop.at("/charge")[0].body, {"cents": 42})
        decided, = [record for record in self.journal() if record["kind"] == "decided"]
        self.assertEqual((decided["body"], decided["outcome"], decided["reason"]), ({"cents": 42}, "ok", "a try"))
        self.assertEqual(self.show()["steps"][0]["input"], {"cents": 42})

    def listen(self):
        """What executions tell when they end goes to the shop."""
        topic = f"ended.{self.order}"
        self.settle(self.node, self.node.ask("PUT", "/api/outboxes/makegood_outbox/routes", {
            "routes": [{"pattern": topic, "destination": "http:shop"}], "reason": "a try"}))
        return {"on_end": {"topic": topic}}

    def test_of_an_end_is_what_became_of_it(self):
        self.shop.script("/reserve", (200, {"id": "r-1"}))
        self.define(step("reserve"), output={"reservation": "${reserve.id}"}, **self.listen())
        self.execute()
        told = self.shop.await_calls("/")
        self.assertEqual(told.body, {"execution": self.id, "definition": self.order, "state": "completed",
                                     "output": {"reservation": "r-1"}})
        self.assertEqual(told.headers["ce-id"], f"saga:{self.id}:1")

    def test_of_an_end_that_is_not_good_says_why(self):
        self.shop.script("/charge", REFUSED)
        self.define(step("reserve"), step("charge"), **self.listen())
        self.execute()
        self.assertEqual(self.shop.await_calls("/").body, {
            "execution": self.id, "definition": self.order, "state": "compensated", "code": "INSUFFICIENT_FUNDS"})


@on_both_stores
class Callbacks:
    def give_up(self, **more):
        """The charge is answered later, and nobody answers in time."""
        self.define(step("charge", timeout="500ms", retry={"base": "50ms", "attempts_max": 1}, **more))
        self.shop.script("/charge", LATER)
        self.execute()
        return self.shop.await_calls("/charge")

    def test_of_an_action_after_the_202_of_its_compensation_is_compensated_too(self):
        self.shop.script("/undo-charge", LATER, OK)
        charge = self.give_up()
        undo = self.shop.await_calls("/undo-charge")
        self.assertEqual(self.call_back(charge, output={"payment": "p-1"}).status, 200)
        self.assertEqual(self.call_back(undo).status, 200)
        self.await_state("compensated")
        # What came after the first refund was asked for is refunded once more.
        again = self.shop.await_calls("/undo-charge", 2)
        self.assertEqual(again.headers["makegood-action-key"], key_of(charge))
        self.assertEqual(self.await_state("compensated")["open"], [])

    def test_with_ok_after_a_successful_compensation_are_compensated_again(self):
        charge = self.give_up()
        self.await_state("compensated")
        self.assertEqual(self.call_back(charge).status, 200)
        again = self.shop.await_calls("/undo-charge", 2)
        self.assertEqual(again.headers["makegood-round"], "2")
        self.await_state("compensated")

    def test_with_ok_after_a_successful_compensation_change_nothing_at_a_barrier(self):
        charge = self.give_up(participant="barrier")
        self.await_state("compensated")
        self.assertEqual(self.call_back(charge).status, 200)
        self.await_(lambda: any(record["request"] for record in self.journal()), "it is recorded")
        self.assertEqual(self.show()["state"], "compensated")
        self.assertEqual(len(self.shop.at("/undo-charge")), 1)

    def test_of_a_sibling_are_waited_for(self):
        """The one that failed turns back; nothing of the group is undone before the other is known."""
        self.define(step("create"), {"parallel": [step("reserve", timeout="1h"), step("charge")]})
        self.shop.script("/reserve", LATER)
        self.shop.script("/charge", REFUSED)
        self.execute()
        reserve = self.shop.await_calls("/reserve")
        self.await_state("compensating")
        self.assertNotIn("/undo-create", self.shop.paths())
        self.assertEqual(self.call_back(reserve).status, 200)
        self.await_state("compensated")
        self.assertEqual(self.shop.paths()[-2:], ["/undo-reserve", "/undo-create"])

    def test_are_kept_by_a_node_that_dies_right_after_them(self):
        self.define(step("charge", timeout="1h"))
        self.shop.script("/charge", LATER)
        self.execute()
        charge = self.shop.await_calls("/charge")
        self.await_(lambda: self.show()["waitsFor"] == "callback", "it waits")
        self.assertEqual(self.call_back(charge).status, 200)
        self.node.end(9)
        self.node = self.start_node()
        self.await_state("completed")


if __name__ == "__main__":
    unittest.main()
