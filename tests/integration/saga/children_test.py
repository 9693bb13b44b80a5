"""Named cases of sagas within sagas, and of steps that are repeated for a list; with real nodes on both stores."""

import signal
import unittest

from ground import LATER, OK, SagaCase, on_both_stores, pivot, step

REFUSED = (422, {"code": "NO_FUNDS"})


def child(name, definition, **more):
    return {"name": name, "action": f"saga:{definition}@1", "retry": {"base": "50ms", "cap": "200ms"}, **more}


@on_both_stores
class Children:
    def define_child(self, *steps, **more):
        self.part = f"part-{self.order}"
        self.define(*steps, name=self.part, **more)

    def child_id(self, name="pay", round_=1):
        return f"{self.id}:{name}:{round_}"

    def step_named(self, name):
        return next(step for step in self.show()["steps"] if step["stepId"] == name)

    def test_gives_its_output_to_its_parent(self):
        self.define_child(step("charge"), output={"receipt": "${charge.id}"})
        self.shop.script("/charge", (200, {"id": "c-7"}))
        self.define(step("reserve"), child("pay", self.part), output={"receipt": "${pay.receipt}"})
        self.execute()
        self.assertEqual(self.await_state("completed")["output"], {"receipt": "c-7"})
        self.assertEqual(self.step_named("pay")["child"], self.child_id())
        shown = self.show(self.child_id())
        self.assertEqual((shown["state"], shown["parent"], shown["parentStep"]), ("completed", self.id, "pay"))

    def test_turns_its_parent_back_when_it_was_compensated(self):
        self.define_child(step("hold"), step("charge"))
        self.shop.script("/charge", REFUSED)
        self.define(step("reserve"), child("pay", self.part))
        self.execute()
        self.assertEqual(self.await_state("compensated")["failure"]["code"], "NO_FUNDS")
        self.assertEqual([path for path in self.shop.paths() if "undo" in path], ["/undo-hold", "/undo-reserve"])

    def test_is_undone_as_one_unit_after_it_has_completed(self):
        self.define_child(step("hold"), step("charge"))
        self.shop.script("/ship", REFUSED)
        self.define(step("reserve"), child("pay", self.part), step("ship"))
        self.execute()
        self.await_state("compensated")
        self.assertEqual([path for path in self.shop.paths() if "undo" in path],
                         ["/undo-charge", "/undo-hold", "/undo-reserve"])
        self.assertEqual(self.show(self.child_id())["state"], "compensated")

    def test_is_cancelled_with_its_parent(self):
        self.define_child(step("charge", timeout="20s"))
        self.shop.script("/charge", LATER)
        self.define(child("pay", self.part))
        self.execute()
        charge = self.shop.await_calls("/charge")
        self.await_(lambda: self.show().get("waitsFor") == "child", "it waits for its child")
        self.assertEqual(self.operate("cancel").status, 200)
        self.await_state("compensating", identity=self.child_id())
        self.call_back(charge)
        self.await_state("cancelled")
        self.assertEqual(len(self.shop.at("/undo-charge")), 1)

    def test_with_a_pivot_is_the_pivot_of_its_parent(self):
        self.define_child(step("hold"), pivot("charge"), {"name": "mail", "action": "http:shop/mail", "timeout": "20s"})
        refused = self.node.ask("PUT", f"/api/saga/definitions/{self.order}", {"steps": [child("pay", self.part)]})
        self.assertEqual(refused.status, 400)
        self.assertIn("a saga with a pivot, which cannot be undone as one unit", refused.json()["detail"])
        self.define(step("reserve"), child("pay", self.part, pivot=True))
        self.shop.script("/mail", LATER)
        self.execute()
        mail = self.shop.await_calls("/mail")
        self.assertEqual(self.operate("cancel").status, 409)
        self.call_back(mail)
        self.await_state("completed")
        self.assertEqual([path for path in self.shop.paths() if "undo" in path], [])

    def test_does_not_wait_for_the_key_of_its_parent(self):
        self.define_child(step("charge"))
        self.define(child("pay", self.part))
        key = f"customer-{self.id}"
        self.execute(key=key)
        self.await_state("completed")
        self.execute(identity=f"{self.id}-next", key=key)
        self.await_state("completed", identity=f"{self.id}-next")

    def test_that_has_failed_asks_for_a_person(self):
        self.define_child(step("hold"), step("charge"), give_up_after="1s")
        self.shop.script("/charge", REFUSED)
        self.shop.script("/undo-hold", (500, {}))
        self.define(step("reserve"), child("pay", self.part))
        self.execute()
        self.await_state("manual")
        self.assertEqual(self.show(self.child_id())["state"], "failed")
        self.shop.script("/undo-hold", OK)
        self.assertEqual(self.operate("retry").status, 200)
        self.await_state("compensated")
        self.assertEqual(self.show(self.child_id())["state"], "compensated")

    def test_is_refused_when_it_is_not_there(self):
        for action, sentence in (("saga:nobody@1", "a version that is not there; apply it first"),
                                 (f"saga:{self.order}@1", "is this saga itself")):
            refused = self.node.ask("PUT", f"/api/saga/definitions/{self.order}",
                                    {"steps": [{"name": "a", "action": action}]})
            self.assertEqual(refused.status, 400)
            self.assertIn(sentence, refused.json()["detail"])

    def test_survives_the_death_of_its_owner(self):
        self.define_child(step("charge", timeout="20s"))
        self.shop.script("/charge", LATER)
        self.define(child("pay", self.part), step("ship"))
        self.execute()
        charge = self.shop.await_calls("/charge")
        self.node.end(signal.SIGKILL)
        self.node = self.start_node()
        self.call_back(charge)
        self.await_state("completed")
        self.assertEqual(len(self.shop.at("/ship")), 1)


@on_both_stores
class Repeated:
    def repeated(self, **more):
        return {**step("ship"), "for_each": {"in": "${input.lines}", "concurrency": 2},
                "input": {"sku": "${item.sku}", "at": "${index}"}, **more}

    def run_with(self, *skus):
        return self.execute(input={"lines": [{"sku": sku} for sku in skus]})

    def test_is_carried_out_for_each_element(self):
        self.shop.script("/ship", lambda call: (200, {"parcel": call.body["sku"].upper()}))
        self.define(self.repeated(), output={"all": "${ship}", "second": "${ship.1.parcel}"})
        self.run_with("a", "b", "c")
        self.assertEqual(self.await_state("completed")["output"],
                         {"all": [{"parcel": "A"}, {"parcel": "B"}, {"parcel": "C"}], "second": "B"})
        calls = self.shop.at("/ship")
        self.assertEqual({call.headers["makegood-step"] for call in calls}, {"ship.0", "ship.1", "ship.2"})
        self.assertEqual(len({call.headers["idempotency-key"] for call in calls}), 3)

    def test_is_undone_by_index(self):
        self.define(self.repeated(), step("charge"))
        self.shop.script("/charge", REFUSED)
        self.run_with("a", "b", "c")
        self.await_state("compensated")
        undone = [call.body["item"]["sku"] for call in self.shop.at("/undo-ship")]
        self.assertEqual(undone, ["c", "b", "a"])

    def test_keeps_its_list_when_its_owner_dies(self):
        self.shop.script("/ship", LATER)
        self.define(self.repeated(timeout="20s"))
        self.run_with("a", "b")
        calls = [self.shop.await_calls("/ship", count) for count in (1, 2)]
        self.await_(lambda: sum(record["kind"] == "accepted" for record in self.journal()) == 2, "both are recorded")
        self.node.end(signal.SIGKILL)
        self.node = self.start_node()
        for call in calls:
            self.call_back(call)
        self.await_state("completed")
        self.assertEqual(len(self.shop.at("/ship")), 2)

    def test_runs_a_saga_for_each_element(self):
        part = f"part-{self.order}"
        self.define(step("pack"), name=part)
        self.define({"name": "each", "action": f"saga:{part}@1", "for_each": {"in": "${input.lines}"}}, step("charge"))
        self.shop.script("/charge", REFUSED)
        self.run_with("a", "b")
        self.await_state("compensated")
        self.assertEqual(sorted(call.body["sku"] for call in self.shop.at("/pack")), ["a", "b"])
        for index in range(2):
            self.assertEqual(self.show(f"{self.id}:each.{index}:1")["state"], "compensated")

    def test_with_too_long_a_list_asks_for_a_person(self):
        self.define(self.repeated(for_each={"in": "${input.lines}", "max": 1}))
        self.run_with("a", "b")
        self.assertEqual(self.await_state("manual")["failure"]["code"], "SAGA.TOO_MANY")


if __name__ == "__main__":
    unittest.main()
