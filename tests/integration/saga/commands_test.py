"""Executions on the command line: started, drawn, listed, settled."""

import json
import os
import unittest

from shop import ShopCase

WHO = ("--operator", "ann", "--reason", "a try")


class Commands(ShopCase):
    def start(self, identity, *more, exit_code=0):
        return self.fail_with(exit_code, "saga", "start", "orderProcess", "--id", identity, "--input",
                              '{"userId": 1001}', *more, *self.server).stdout

    def test_start_waits_for_the_outcome(self):
        self.assertEqual(self.start("order-1", "--wait", "20"),
                         "order-1: Saga execution completed.\n  output: {\"order\":\"ORD-1\"}\n")
        self.services.answers["/payments/charge"] = (422, {"code": "INSUFFICIENT_FUNDS"})
        out = self.start("order-2", "--wait", "20", exit_code=1)
        self.assertIn("order-2: Saga execution compensated.", out)
        self.assertIn("payment: INSUFFICIENT_FUNDS", out)

    def test_start_at_once_says_how_to_watch_it(self):
        self.assertIn("'makegood saga watch order-1' shows how it goes on.", self.start("order-1"))
        done = self.fail_with(1, "saga", "start", "orderProces", *self.server)
        self.assertIn("Is it orderProcess?", done.stderr)
        done = self.fail_with(1, "saga", "start", "orderProcess", "--input", "{", *self.server)
        self.assertIn("The input is not JSON", done.stderr)

    def test_show_draws_the_tree(self):
        self.services.answers["/payments/charge"] = (422, {"code": "INSUFFICIENT_FUNDS"})
        self.start("order-1", "--wait", "20", exit_code=1)
        lines = self.succeed("saga", "show", "order-1", *self.server).splitlines()
        self.assertEqual(lines[0], "order-1  orderProcess v1  compensated")
        tree = [line for line in lines if line[:1] in "├│└ " and line.strip()]
        signs = [next(sign for sign in "↶✗·┬✓" if sign in line) for line in tree if any(s in line for s in "↶✗·┬✓")]
        self.assertEqual(signs, ["↶", "┬", "↶", "✗", "·"])
        self.assertLessEqual(max(len(line) for line in lines), 100)
        self.assertEqual(self.json("saga", "show", "order-1", *self.server)["status"], "COMPENSATED")

    def test_watch_prints_each_change_once_until_the_end(self):
        self.start("order-1")
        out = self.succeed("saga", "watch", "order-1", *self.server)
        self.assertEqual(out.count("order-1  orderProcess v1  completed"), 1)
        states = [json.loads(line)["state"]
                  for line in self.succeed("saga", "watch", "order-1", "--json", *self.server).splitlines()]
        self.assertEqual(states, ["completed"])

    def test_settle_what_waits_for_somebody(self):
        self.services.answers["/payments/charge"] = (422, {"code": "RISK_CHECK_FAILED"})
        self.start("order-1", "--wait", "20", exit_code=1)
        shown = self.succeed("saga", "show", "order-1", *self.server)
        self.assertIn("needs review", shown)
        self.assertIn("→ makegood saga retry order-1 payment --reason WHY", shown)
        self.assertIn("saga list --state manual", self.succeed("status", *self.server))
        listed = self.succeed("saga", "list", "--state", "manual", *self.server).splitlines()
        self.assertEqual(listed[1].split()[:4], ["order-1", "default", "orderProcess", "manual"])
        done = self.fail_with(1, "saga", "resume", "order-1", "--state", "paused", *WHO, *self.server)
        self.assertIn("Its state is manual, not paused.", done.stderr)
        self.services.answers.clear()
        out = self.succeed("saga", "retry", "order-1", "payment", *WHO, *self.server)
        self.assertIn("Done: order-1 goes on", out)
        self.await_state("order-1", "completed")
        self.assertIn("because a try", self.succeed("saga", "journal", "order-1", *self.server))

    def test_leave_notes(self):
        self.start("order-1", "--wait", "20")
        out = self.succeed("saga", "annotate", "order-1", "--operator", "ann", "--reason", "the customer called",
                           *self.server)
        self.assertEqual(out, "Done: order-1 keeps the note; it is completed now.\n")
        self.succeed("saga", "bulk", "annotate", "--state", "completed", "--yes", "--operator", "bob", "--reason",
                     "seen", *self.server)
        self.assertEqual([note["note"] for note in self.show("order-1")["notes"]], ["the customer called", "seen"])
        self.assertIn("the customer called", self.succeed("saga", "show", "order-1", *self.server))

    def test_pause_and_resume(self):
        self.services.answers["/payments/charge"] = (202, {})
        self.start("order-1")
        address = self.services.await_call("/payments/charge")["makegood-callback"]
        self.succeed("saga", "pause", "order-1", *WHO, *self.server)
        self.assertEqual(self.show("order-1")["state"], "paused")
        self.ask_at(address, "POST", {"outcome": "ok"})
        self.assertIn("it is", self.succeed("saga", "resume", "order-1", *WHO, *self.server))
        self.await_state("order-1", "completed")

    def test_an_event_is_told(self):
        self.define_waiting()
        self.succeed("saga", "start", "waits", "--id", "w-1", *self.server)
        self.await_for("w-1", "event")
        shown = self.succeed("saga", "show", "w-1", *self.server)
        self.assertIn("event:paid", shown)
        self.assertIn("→ makegood saga event w-1 paid --data JSON", shown)
        out = self.succeed("saga", "event", "w-1", "paid", "--data", '{"cents": 5}', *self.server)
        self.assertIn("Done: w-1 knows of paid", out)
        self.assertEqual(self.await_state("w-1", "completed")["output"], {"cents": 5})
        done = self.fail_with(1, "saga", "event", "w-1", "paid", *self.server)
        self.assertIn("It has ended.", done.stderr)

    def test_a_start_may_name_its_time(self):
        self.define_waiting()
        self.succeed("saga", "start", "waits", "--id", "w-1", "--start-at", "2100-01-31T09:00:00Z", *self.server)
        self.await_for("w-1", "start")
        shown = self.succeed("saga", "show", "w-1", *self.server)
        self.assertIn("pending", shown)
        self.assertIn("waits for start", shown)

    def test_a_start_may_bring_its_document(self):
        path = os.path.join(self.folder, "greet.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("name: greet\noutput: {order: '${a.orderId}'}\n"
                       "steps: [{name: a, action: 'http:shop/greet', effect: none}]\n")
        out = self.succeed("saga", "start", "--file", path, "--id", "g-1", "--wait", "20", *self.server)
        self.assertIn("g-1: Saga execution completed.", out)
        self.assertRegex(self.show("g-1")["chainName"], "^greet[.]inline-[0-9a-f]{16}$")
        done = self.fail_with(1, "saga", "start", *self.server)
        self.assertIn("Say which saga to start", done.stderr)

    def define_waiting(self):
        self.ask("PUT", "/api/saga/definitions/waits",
                 {"output": {"cents": "${paid.cents}"}, "steps": [{"name": "paid", "action": "event:paid"}]})

    def await_for(self, identity, what):
        self.await_that(lambda: self.show(identity).get("waitsFor") == what)

    def fail_openly(self, identity):
        """Nobody can undo the reservation, so it is a dead letter soon."""
        brief = {"timeout": "1s", "compensation_timeout": "1s", "retry": {"base": "50ms", "attempts_max": 1}}
        self.ask("PUT", "/api/saga/definitions/open", {"give_up_after": "1s", "steps": [
            {"name": "reserve", "action": "http:shop/hold", "compensation": "http:shop/let-go", **brief},
            {"name": "charge", "action": "http:shop/charge", "effect": "none", **brief}]})
        self.services.answers |= {"/charge": (422, {"code": "DECLINED"}), "/let-go": (500, {})}
        self.succeed("saga", "start", "open", "--id", identity, *self.server)
        self.await_state(identity, "failed")

    def dead_executions(self):
        return [item["executionId"] for item in self.json("dead", "list", "--kind", "saga", *self.server)["items"]]

    def test_dead_letters_are_listed_and_replayed_from_where_they_failed(self):
        self.fail_openly("o-1")
        self.assertEqual(self.dead_executions(), ["o-1"])
        listed = self.succeed("dead", "list", "--kind", "saga", *self.server).splitlines()
        self.assertEqual(listed[1].split()[:5], ["o-1", "open", "default", "charge", "DECLINED"])
        self.assertIn("o-1", self.succeed("dead", "list", *self.server), "below the deliveries")
        self.services.answers.clear()
        out = self.succeed("dead", "replay", "--execution", "o-1", *WHO, *self.server)
        self.assertIn("o-1 goes on from where it failed.", out)
        self.await_state("o-1", "compensated")
        self.assertEqual(self.dead_executions(), [])

    def test_dead_letters_are_replayed_into_compensation(self):
        self.fail_openly("o-1")
        self.services.answers.clear()
        done = self.fail_with(1, "dead", "replay", "--compensate", "--all", *WHO, *self.server)
        self.assertIn("name it with --execution ID", done.stderr)
        out = self.succeed("dead", "replay", "--execution", "o-1", "--compensate", *WHO, *self.server)
        self.assertIn("o-1 is undone as far as it can be.", out)
        self.await_state("o-1", "compensated")
        self.assertEqual(self.services.paths().count("/charge"), 1)

    def test_need_a_reason(self):
        done = self.fail_with(2, "saga", "cancel", "order-1", *self.server)
        self.assertIn("--reason is required", done.stderr)

    def test_work_on_the_store_too(self):
        self.start("order-1", "--wait", "20")
        shown = self.json("saga", "show", "order-1", "--store", "sqlite:shop.db")
        self.assertEqual(shown["status"], "COMPLETED")
        self.assertIn("sagas: None waits for a person", self.makegood("doctor", "--store", "sqlite:shop.db").stdout)


if __name__ == "__main__":
    unittest.main()
