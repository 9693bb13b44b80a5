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
        action: worker:mail
        efect: none
"""

ALONE = '{"name": "alone", "steps": [{"name": "a", "action": "fn:a", "effect": "none"}]}'


DOUBTFUL = """\
destinations:
  - {name: "http:orders", http: {url: "http://127.0.0.1:1/"}}
sagas:
  - name: doubtful
    deadline: 10s
    steps:
      - {name: a, action: "http:orders/a", effect: none, timeout: 1s, retry: {attempts_max: 1}, when: "${input.vip}"}
      - name: b
        action: http:stock/b
        compensation: http:orders/undo
        timeout: 30s
        input: {a: "${a.id}", user: "${input.user}"}
"""


class Lint(StoreCase):
    def lint(self, text, *more, exit_code=0):
        self.write("orders.yaml", text)
        return self.fail_with(exit_code, "saga", "lint", "orders.yaml", *more).stdout

    def test_finds_nothing_in_the_order_process(self):
        self.assertEqual(self.lint(ORDERS), "sagas: 1, errors: 0, warnings: 0, notes: 0\n")

    def test_tells_mistakes_as_errors(self):
        self.assertIn("errors: 6, warnings: 0", self.lint(BROKEN, exit_code=3))

    def test_tells_what_is_probably_not_meant_with_its_place(self):
        self.assertEqual(self.lint(DOUBTFUL, exit_code=1), """\
orders.yaml:5:5: /sagas/0/deadline is 10s, and one attempt of each step may take 31s together [warning: timeout_fit]
    5 |     deadline: 10s
      |     ^
orders.yaml:9:9: /sagas/0/steps/1/action calls http:stock, which is no destination of these files; the step waits \
until somebody registers it [warning: unknown_destination]
    9 |         action: http:stock/b
      |         ^
orders.yaml:11:9: /sagas/0/steps/1/timeout cannot fit: an attempt may take 30s, and the deadline of the saga is 10s \
[warning: timeout_fit]
   11 |         timeout: 30s
      |         ^
orders.yaml:12:9: /sagas/0/steps/1/input reads ${a.id}, and a may be left out (when); give a default: ${a.id|null} \
[warning: reads_skipped]
   12 |         input: {a: "${a.id}", user: "${input.user}"}
      |         ^
sagas: 1, errors: 0, warnings: 4, notes: 0
""")

    def test_tells_what_a_start_lacks(self):
        told = json.loads(self.lint(DOUBTFUL, "--json", "--input", '{"vip": true}', exit_code=1))
        self.assertEqual(told["sagas"], [{"name": "doubtful", "file": "orders.yaml", "parameters": ["user", "vip"]}])
        missing = [one for one in told["findings"] if one["rule"] == "missing_parameter"]
        self.assertEqual(missing, [{"severity": "warning", "rule": "missing_parameter", "file": "orders.yaml",
                                    "line": 12, "column": 9, "pointer": "/sagas/0/steps/1/input",
                                    "problem": "reads ${input.user}, which the input does not have"}])


CHAINED = """\
sagas:
  - name: chained
    chain: |
      THEN(a,
           WHEN(b, c)%s
    steps:
      - {name: c, action: "fn:c", effect: none}
      - {name: b, action: "fn:b", effect: none}
      - {name: a, action: "fn:a", effect: none}
"""


class Chains(StoreCase):
    def test_are_drawn(self):
        self.write("chain.yaml", CHAINED % ")")
        self.assertEqual(self.succeed("saga", "check", "chain.yaml", "--as", "tree"), """\
chained
├─ a  fn:a  (no effect)
└─ in parallel
   ├─ b  fn:b  (no effect)
   └─ c  fn:c  (no effect)
""")
        self.assertIn("begin --> s1", self.succeed("saga", "check", "chain.yaml", "--as", "mermaid"))
        self.succeed("migrate", *STORE)
        self.succeed("apply", "-f", "chain.yaml", "--yes", *STORE, *WHO)
        self.assertIn("└─ in parallel", self.succeed("saga", "definitions", "chained", "--as", "tree", *STORE))

    def test_have_a_mark_under_what_is_wrong(self):
        self.write("chain.yaml", CHAINED % ", IF)")
        self.assertEqual(self.fail_with(3, "saga", "check", "chain.yaml").stdout, """\
chain.yaml:5: /sagas/0/chain names IF, which is no step
      |      WHEN(b, c), IF)
      |                  ^
1 saga, 1 mistake
""")


class Simulate(StoreCase):
    def test_tells_how_everything_ends(self):
        self.write("orders.yaml", ORDERS)
        out = self.succeed("saga", "simulate", "orders.yaml", "--coverage", "100")
        self.assertRegex(out.splitlines()[0], r"orderProcess: \d+ situations, \d+ tried \(100\.0 %\)")
        lines = [line.split() for line in out.splitlines()]
        self.assertIn(["payment", "action", "1-6", "error", "compensated", "reserveStock,", "createOrder", "-"], lines)
        self.assertIn("payment action 1 error RISK_CHECK_FAILED manual: RISK_CHECK_FAILED - -".split(), lines)
        given_up = "payment compensation all error failed: SIMULATED reserveStock, createOrder payment"
        self.assertIn(given_up.split(), lines)

    def test_fails_below_the_wanted_coverage(self):
        self.write("doubtful.yaml", DOUBTFUL)
        done = self.fail_with(1, "saga", "simulate", "doubtful.yaml", "--input", '{"vip": false, "user": 1}', "--json",
                              "--coverage", "90")
        told = json.loads(done.stdout)[0]
        self.assertLess(told["coverage"], 90)
        self.assertIn("is below --coverage 90", done.stderr)
        missed = [case for case in told["cases"] if not case["tried"]]
        self.assertEqual({case["step"] for case in missed}, {"a", "b"})


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
orders.yaml:9:9: /sagas/0/steps/1/action is worker:…, which a step cannot call yet; write fn:name, \
http:destination/path, https://…, bus:topic or saga:name@version
    9 |         action: worker:mail
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
