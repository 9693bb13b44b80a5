"""Executions over REST: started, waited for, answered later, undone, settled."""

import concurrent.futures
import unittest

from shop import ShopCase


class Executions(ShopCase):
    def test_that_go_well_are_completed_with_their_output(self):
        status, outcome = self.execute("order-1")
        self.assertEqual((status, outcome["status"], outcome["output"]), (200, "COMPLETED", {"order": "ORD-1"}))
        shown = self.show("order-1")
        self.assertEqual([step["status"] for step in shown["steps"]], ["COMPLETED"] * 4)
        self.assertEqual(self.services.paths()[0], "/orders/create")
        self.assertEqual(self.services.calls[0][2], {"userId": 1001})
        self.assertEqual(self.services.calls[0][1]["makegood-execution"], "order-1")

    def test_are_the_same_one_when_they_are_started_twice(self):
        self.execute("order-1")
        status, again = self.execute("order-1")
        self.assertEqual((status, again["status"]), (200, "COMPLETED"))
        self.assertEqual(self.services.paths().count("/orders/create"), 1)
        status, other = self.execute("order-1", inputData={"userId": 7})
        self.assertEqual((status, other["code"]), (409, "STORAGE.CONFLICT"))
        status, by_header = self.ask("POST", "/api/saga/execute", {"definition": "orderProcess", "wait": 20},
                                     Idempotency_Key="order-2")
        self.assertEqual((status, by_header["executionId"]), (200, "order-2"))

    def test_that_fail_are_undone_the_last_step_first(self):
        self.services.answers["/payments/charge"] = (422, {"code": "INSUFFICIENT_FUNDS"})
        status, outcome = self.execute("order-1")
        self.assertEqual((status, outcome["status"]), (200, "COMPENSATED"), outcome)
        self.assertEqual(outcome["failure"]["code"], "INSUFFICIENT_FUNDS")
        shown = self.show("order-1")
        self.assertEqual([each["stepId"] for each in shown["compensationLog"]], ["reserveStock", "createOrder"])
        self.assertEqual({each["status"] for each in shown["compensationLog"]}, {"SUCCESS"})
        self.assertEqual(shown["open"], [])

    def test_are_answered_later_by_a_callback(self):
        self.services.answers["/payments/charge"] = (202, {})
        self.execute("order-1", wait=0)
        address = self.services.await_call("/payments/charge")["makegood-callback"]
        self.await_that(lambda: self.show("order-1")["waitsFor"] == "callback")
        status, taken = self.ask_at(address, "POST", {"outcome": "ok", "output": {"paymentId": "p-9"}})
        self.assertEqual((status, taken["wasThere"]), (200, False), taken)
        self.assertTrue(self.ask_at(address, "POST", {"outcome": "ok", "output": {"paymentId": "p-9"}})[1]["wasThere"])
        shown = self.await_state("order-1", "completed")
        self.assertEqual(shown["steps"][2]["output"], {"paymentId": "p-9"})
        status, refused = self.ask_at(address.replace("payment", "confirm"), "POST", {})
        self.assertEqual(status, 403, refused)

    def test_wait_for_somebody_and_are_settled(self):
        self.services.answers["/payments/charge"] = (422, {"code": "RISK_CHECK_FAILED"})
        status, outcome = self.execute("order-1")
        self.assertEqual((status, outcome["status"]), (202, "MANUAL_INTERVENTION"), outcome)
        self.assertEqual(outcome["failure"]["reason"], "needs review")
        _, current = self.ask("GET", "/api/status")
        self.assertIn("1 execution of saga orderProcess waits for a person.",
                      [trouble["what"] for trouble in current["troubles"]])
        path = "/api/saga/executions/order-1/"
        status, refused = self.ask("POST", path + "skip", {"reason": "r", "step": "payment", "state": "paused"})
        self.assertEqual(status, 409)
        self.assertIn("Its state is manual, not paused.", refused["detail"])
        status, done = self.ask("POST", path + "compensate", {"reason": "too risky", "state": "manual"},
                                X_Operator="ann")
        self.assertEqual((status, done["result"]), (200, "done"), done)
        self.await_state("order-1", "compensated")
        _, journal = self.ask("GET", path + "journal?limit=1000")
        asked = [record for record in journal["items"] if record["request"] > 0]
        self.assertIn(("ann", "too risky"), [(record["operator"], record["reason"]) for record in asked])

    def test_are_cancelled_before_the_pivot_and_not_after_it(self):
        self.services.answers["/payments/charge"] = (202, {})
        self.execute("order-1", wait=0)
        self.services.await_call("/payments/charge")
        address = self.services.await_call("/payments/charge")["makegood-callback"]
        status, done = self.ask("POST", "/api/saga/executions/order-1/cancel", {"reason": "the customer called"})
        self.assertEqual(status, 200, done)
        self.ask_at(address, "POST", {"outcome": "ok"})
        self.assertEqual(self.await_state("order-1", "cancelled")["status"], "CANCELLED")
        self.services.answers.clear()
        self.execute("order-2")
        status, refused = self.ask("POST", "/api/saga/executions/order-2/cancel", {"reason": "too late"})
        self.assertEqual((status, refused["detail"]), (409, "It was refused: It has ended."))

    def test_are_listed_and_counted(self):
        for number in range(3):
            self.execute(f"order-{number}")
        _, page = self.ask("GET", "/api/saga/executions?state=completed&limit=2")
        self.assertEqual([item["executionId"] for item in page["items"]], ["order-2", "order-1"])
        _, rest = self.ask("GET", f"/api/saga/executions?state=completed&limit=2&cursor={page['next']}")
        self.assertEqual([item["executionId"] for item in rest["items"]], ["order-0"])

    def test_that_many_wait_for_hold_up_nobody(self):
        self.services.answers["/payments/charge"] = (202, {})
        self.execute("order-1", wait=0)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            waiting = [pool.submit(self.ask, "GET", "/api/saga/executions/order-1/outcome?wait=30") for _ in range(16)]
            address = self.services.await_call("/payments/charge")["makegood-callback"]
            self.await_that(lambda: self.show("order-1")["waitsFor"] == "callback")  # Answered beside all of them.
            self.ask_at(address, "POST", {"outcome": "ok"})
            outcomes = [each.result() for each in waiting]
        self.assertEqual({outcome["status"] for _, outcome in outcomes}, {"COMPLETED"})


class Tokens(ShopCase):
    SERVE_VARIABLES = {"MAKEGOOD_TOKENS": "viewer wall 0123456789abcdef-wall\n"
                                          "producer shop 0123456789abcdef-shop\n"
                                          "operator ann 0123456789abcdef-ann\n"}

    def token(self):
        self.write("token", "0123456789abcdef-ann\n")
        return ("--token-file", "token")

    def ask(self, method, path, body=None, who="ann", **headers):
        return super().ask(method, path, body, Authorization=f"Bearer 0123456789abcdef-{who}", **headers)

    def test_are_needed_for_everything_but_a_callback(self):
        self.services.answers["/payments/charge"] = (202, {})
        body = {"definition": "orderProcess", "id": "order-1", "input": {"userId": 1001}}
        self.assertEqual(self.ask("POST", "/api/saga/execute", body, who="wall")[0], 403)
        self.assertEqual(self.ask("POST", "/api/saga/execute", body, who="shop")[0], 202)
        address = self.services.await_call("/payments/charge")["makegood-callback"]
        self.assertEqual(self.ask_at(address, "POST", {"outcome": "ok"})[0], 200)
        self.await_state("order-1", "completed")
        self.assertEqual(self.ask("GET", "/api/saga/executions/order-1", who="shop")[0], 403)
        hidden = self.ask("GET", "/api/saga/executions/order-1", who="wall")[1]
        self.assertEqual((hidden["isContentHidden"], hidden["input"], hidden["output"]), (True, None, None))
        cancel = {"reason": "r"}
        self.assertEqual(self.ask("POST", "/api/saga/executions/order-1/cancel", cancel, who="wall")[0], 403)


if __name__ == "__main__":
    unittest.main()
