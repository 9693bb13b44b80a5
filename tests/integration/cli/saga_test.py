"""Sagas in files: checked, applied, shown."""

import json
import unittest

from server import ServerCase
from store import STORE, WHO, StoreCase

ORDERS = """\
sagas:
  - name: orderProcess
    deadline: 30m
    output: {order: "${createOrder.orderId}"}
    on_end: {topic: orders.process.ended.v1}
    steps:
      - {name: validateOrder, action: "http:orders/validate", effect: none}
      - name: createOrder
        action: http:orders/create
        input: {user: "${input.userId}"}
        compensation:
          action: http:orders/cancel
          input: {orderId: "${createOrder.orderId}"}
          if_unknown: {request: "${createOrder.key}"}
      - parallel:
          - {name: reserveStock, action: "http:stock/reserve", compensation: "http:stock/release"}
          - name: payment
            action: http:payments/charge
            compensation: http:payments/refund
            participant: barrier
            on_failure: {PAYMENT_TIMEOUT: {retry: 3}, RISK_CHECK_FAILED: {manual: needs review}}
      - {name: confirmStock, action: "http:stock/confirm", pivot: true}
      - {name: sendNotification, action: "http:mail/send"}
"""

BROKEN = """\
sagas:
  - name: orderProcess
    deadline: 30
    steps:
      - name: createOrder
        action: http:orders/create
        input: {user: "${inptu.userId}"}
      - name: größe
        action: bus:mail
        efect: none
"""

ALONE = '{"name": "alone", "steps": [{"name": "a", "action": "fn:a", "effect": "none"}]}'


class Check(StoreCase):
    def check(self, text, exit_code=0):
        self.write("orders.yaml", text)
        return self.fail_with(exit_code, "saga", "check", "orders.yaml").stdout

    def test_finds_nothing_wrong_with_the_order_process(self):
        self.assertEqual(self.check(ORDERS), "1 saga, 0 mistakes\n")

    def test_takes_a_saga_alone_in_json(self):
        self.assertEqual(self.check(ALONE), "1 saga, 0 mistakes\n")

    def test_tells_every_mistake_with_its_place_and_a_mark_under_it(self):
        self.assertEqual(self.check(BROKEN, 3), """\
orders.yaml:3:5: /sagas/0/deadline is not a duration, such as 30m, 10s or 500ms
    3 |     deadline: 30
      |     ^
orders.yaml:5:9: /sagas/0/steps/0 does not say how it is undone; give it a compensation, or say effect: none or \
pivot: true
    5 |       - name: createOrder
      |         ^
orders.yaml:7:9: /sagas/0/steps/0/input reads ${inptu.userId}, which is no step; is it input?
    7 |         input: {user: "${inptu.userId}"}
      |         ^
orders.yaml:8:9: /sagas/0/steps/1/name is gr????e; it may have letters, digits, _ and -, and at most 64 of them
    8 |       - name: größe
      |         ^
orders.yaml:9:9: /sagas/0/steps/1/action is bus:…, which a step cannot call yet; write fn:name, \
http:destination/path or https://…
    9 |         action: bus:mail
      |         ^
orders.yaml:10:9: /sagas/0/steps/1/efect is not known here; is it effect?
   10 |         efect: none
      |         ^
1 saga, 6 mistakes
""")

    def test_refuses_what_is_no_yaml(self):
        self.assertIn("is not YAML", self.check("sagas: [", 3))

    def test_refuses_two_sagas_of_one_name(self):
        self.assertIn("is orderProcess, as a saga in orders.yaml has it",
                      self.check(ORDERS + ORDERS.partition("\n")[2], 3))


class Apply(StoreCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", "--saga-log", "makegood_saga", *STORE)

    def apply(self, text, *arguments):
        self.write("orders.yaml", text)
        return self.succeed("apply", "-f", "orders.yaml", *arguments, *STORE, *WHO)

    def test_defines_a_saga_and_then_changes_nothing(self):
        self.assertEqual(self.apply(ORDERS), "+ saga orderProcess (version 1)\n"
                                             "Saga orderProcess is defined in version 1.\n")
        self.assertEqual(self.apply(ORDERS), "sagas: nothing to change\n")

    def test_makes_a_new_version_of_what_has_changed(self):
        self.apply(ORDERS)
        changed = ORDERS.replace("30m", "40m")
        self.assertEqual(self.apply(changed, "--dry-run"), "~ saga orderProcess (version 2)\n")
        self.assertEqual(self.apply(changed), "~ saga orderProcess (version 2)\n"
                                              "Saga orderProcess is defined in version 2.\n")
        self.assertEqual(self.json("saga", "definitions", "orderProcess", *STORE)["document"]["deadline"], "40m")
        old = self.json("saga", "definitions", "orderProcess", "--version", "1", *STORE)
        self.assertEqual(old["document"]["deadline"], "30m")

    def test_keeps_templates_as_they_are(self):
        self.apply(ORDERS)
        document = self.json("saga", "definitions", "orderProcess", *STORE)["document"]
        self.assertEqual(document["steps"][1]["input"], {"user": "${input.userId}"})

    def test_takes_sagas_beside_destinations(self):
        out = self.apply(ORDERS + 'destinations: [{name: "http:orders", http: {url: "http://127.0.0.1:1/"}}]\n',
                         "--dry-run")
        self.assertIn("+ destination http:orders", out)
        self.assertIn("+ saga orderProcess (version 1)", out)

    def test_refuses_a_file_with_mistakes_and_defines_nothing(self):
        self.write("orders.yaml", BROKEN)
        done = self.fail_with(3, "apply", "-f", "orders.yaml", *STORE, *WHO)
        self.assertIn("orders.yaml:3:5: /sagas/0/deadline is not a duration", done.stderr)
        self.assertEqual(self.json("saga", "definitions", *STORE)["items"], [])

    def test_can_put_back_what_was_shown(self):
        self.apply(ORDERS)
        document = self.json("saga", "definitions", "orderProcess", *STORE)["document"]
        self.assertEqual(self.apply(json.dumps(document)), "sagas: nothing to change\n")


class Definitions(StoreCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", "--saga-log", "makegood_saga", *STORE)

    def test_are_listed_and_shown(self):
        self.assertIn("No saga is defined.", self.succeed("saga", "definitions", *STORE))
        self.write("orders.yaml", ORDERS)
        self.succeed("apply", "-f", "orders.yaml", *STORE, *WHO)
        listed = self.succeed("saga", "definitions", *STORE).splitlines()
        self.assertEqual(listed[0].split(), ["SAGA", "VERSION", "STEPS", "DEFINED"])
        self.assertEqual(listed[1].split()[:3], ["orderProcess", "1", "6"])
        shown = self.succeed("saga", "definitions", "orderProcess", *STORE).splitlines()
        self.assertTrue(shown[0].startswith("orderProcess, version 1, defined "))
        self.assertEqual(shown[6].split(), ["3", "payment", "http:payments/charge", "http:payments/refund"])

    def test_that_do_not_exist_are_told_by_the_nearest_name(self):
        self.write("orders.yaml", ORDERS)
        self.succeed("apply", "-f", "orders.yaml", *STORE, *WHO)
        done = self.fail_with(1, "saga", "definitions", "orderProces", *STORE)
        self.assertIn("There is no saga 'orderProces'. Is it orderProcess?", done.stderr)


class Server(ServerCase):
    SERVE = ("--apply", "orders.yaml")

    def prepare(self):
        self.succeed("migrate", "--saga-log", "makegood_saga", *STORE)
        self.write("orders.yaml", ORDERS)

    def test_defines_the_sagas_of_its_files_at_its_start(self):
        self.await_that(lambda: self.json("saga", "definitions", *self.server)["items"])
        self.assertEqual(self.json("saga", "definitions", "orderProcess", *self.server)["version"], 1)

    def test_takes_new_versions(self):
        self.await_that(lambda: self.json("saga", "definitions", *self.server)["items"])
        self.write("orders.yaml", ORDERS.replace("30m", "40m"))
        out = self.succeed("apply", "-f", "orders.yaml", "--operator", "ann", *self.server)
        self.assertEqual(out.splitlines()[-1], "Saga orderProcess is defined in version 2.")


if __name__ == "__main__":
    unittest.main()
