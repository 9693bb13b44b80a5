"""examples/sagas against the real program: the three services in this process, `makegood serve` beside them."""

import contextlib
import importlib.util
import json
import os
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

from daemon import Daemon

PROGRAM = os.path.abspath(os.environ.get("MAKEGOOD_PROGRAM", "makegood"))
SAGAS = os.path.join(os.path.abspath(os.environ.get("MAKEGOOD_EXAMPLES", "examples")), "sagas")
ENDED_WITHIN = 30
FREE_AT_FIRST = 1000

spec = importlib.util.spec_from_file_location("services", os.path.join(SAGAS, "services.py"))
services = importlib.util.module_from_spec(spec)
spec.loader.exec_module(services)


class Payments(services.Payments):
    """Charges wait at the gate, so that whoever has asked for them can be killed meanwhile."""

    def __init__(self, folder):
        super().__init__(folder)
        self.gate = threading.Event()
        self.gate.set()
        self.arrived = threading.Semaphore(0)

    def answer(self, path, headers, body):
        self.arrived.release()
        self.gate.wait(ENDED_WITHIN)
        return super().answer(path, headers, body)


def order(customer, quantity=1):
    return json.dumps({"customer": customer, "item": "book", "quantity": quantity, "cents": 1990})


class SagaExample(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-sagas-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.variables = dict(os.environ)
        self.payments = Payments(self.folder)
        for service in (services.Orders(self.folder), services.Stock(self.folder), self.payments):
            self.open(service)
        subprocess.run([PROGRAM, "migrate", "--store", f"sqlite:{self.folder}/shop.db"], check=True, timeout=30,
                       capture_output=True)
        self.serve()
        self.succeed("apply", "-f", os.path.join(SAGAS, "orders.yaml"), "--yes", "--reason", "a try")

    def open(self, service):
        name = os.path.basename(service.path).removesuffix(".db")
        server = services.serve(service, 0)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.variables[f"{name.upper()}_URL"] = f"http://127.0.0.1:{server.server_port}/"

    def serve(self):
        self.daemon = Daemon(PROGRAM, f"sqlite:{self.folder}/shop.db")
        self.addCleanup(self.daemon.close)

    def makegood(self, *arguments):
        return subprocess.run([PROGRAM, *arguments, "--server", self.daemon.url], env=self.variables, timeout=90,
                              text=True, capture_output=True, check=False)

    def succeed(self, *arguments):
        done = self.makegood(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def start(self, identity, customer, quantity=1, wait=0):
        return self.makegood("saga", "start", "orderProcess", "--id", identity, "--input", order(customer, quantity),
                             "--wait", str(wait)).stdout

    def query(self, service, sql):
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, f"{service}.db"))) as db:
            return db.execute(sql).fetchall()

    def states(self):
        listed = json.loads(self.succeed("saga", "list", "--json"))["items"]
        return {each["executionId"]: each["state"] for each in listed}

    def await_states(self, wanted):
        until = time.monotonic() + ENDED_WITHIN
        while (states := self.states()) != wanted:
            self.assertLess(time.monotonic(), until, states)

    def test_completes_one_order_and_undoes_the_one_that_nobody_pays(self):
        self.assertIn('completed.\n  output: {"order":1}', self.start("order-1", "ann", 2, wait=30))
        self.assertIn("payment: INSUFFICIENT_FUNDS", self.start("order-2", "broke", wait=30))
        self.assertEqual(self.states(), {"order-1": "completed", "order-2": "compensated"})
        self.assertEqual(self.query("orders", "SELECT customer, state FROM orders ORDER BY id"),
                         [("ann", "placed"), ("broke", "cancelled")])
        self.assertEqual(self.query("stock", "SELECT quantity, state FROM reservation ORDER BY id"),
                         [(2, "confirmed"), (1, "released")])
        self.assertEqual(self.query("stock", "SELECT free FROM item"), [(FREE_AT_FIRST - 2,)])
        self.assertEqual(self.query("payments", "SELECT customer, state FROM payment"), [("ann", "charged")])
        self.assertEqual(self.query("orders", "SELECT order_id FROM mail"), [(1,)])

    def test_ends_with_consistent_ledgers_when_makegood_is_killed_in_the_middle(self):
        self.payments.gate.clear()
        wanted = {}
        for number in range(6):
            is_paid = number % 2 == 0
            wanted[f"order-{number}"] = "completed" if is_paid else "compensated"
            self.start(f"order-{number}", "ann" if is_paid else "broke")
        for _ in wanted:
            self.assertTrue(self.payments.arrived.acquire(timeout=ENDED_WITHIN), "not every charge has arrived")
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.payments.gate.set()  # They are charged now, and nobody hears of it.
        self.serve()
        self.await_states(wanted)
        self.assertEqual(self.query("payments", "SELECT customer, state FROM payment"), [("ann", "charged")] * 3)
        self.assertEqual(self.query("orders", "SELECT state, count(*) FROM orders GROUP BY state ORDER BY state"),
                         [("cancelled", 3), ("placed", 3)])
        self.assertEqual(self.query("stock", "SELECT state, count(*) FROM reservation GROUP BY state ORDER BY state"),
                         [("confirmed", 3), ("released", 3)])
        self.assertEqual(self.query("stock", "SELECT free FROM item"), [(FREE_AT_FIRST - 3,)])
        self.assertEqual(self.query("orders", "SELECT count(*), count(DISTINCT order_id) FROM mail"), [(3, 3)])


def headers_of(direction, action_round=1, compensation_round=1):
    of_action = direction == "action"
    return {"makegood-tenant": "default", "makegood-execution": "order-1", "makegood-step": "payment",
            "makegood-direction": direction, "makegood-action-round": str(action_round),
            "makegood-round": str(action_round if of_action else compensation_round)}


class BarrierOfTheExample(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-barrier-")
        self.addCleanup(folder.cleanup)
        self.payments = services.Payments(folder.name)

    def charge(self, action_round=1, customer="ann"):
        return self.payments.answer("/charge", headers_of("action", action_round), {"customer": customer, "cents": 5})

    def refund(self, action_round=1, compensation_round=1):
        return self.payments.answer("/refund", headers_of("compensation", action_round, compensation_round), {})[0]

    def ledger(self):
        with self.payments.transaction() as db:
            return [state for (state,) in db.execute("SELECT state FROM payment ORDER BY id")]

    def test_answers_a_repeat_with_the_first_answer(self):
        self.assertEqual([self.charge(), self.charge()], [(200, {"paymentId": 1})] * 2)
        self.assertEqual(self.ledger(), ["charged"])

    def test_keeps_a_refusal(self):
        refusal = (422, {"code": "INSUFFICIENT_FUNDS"})
        self.assertEqual([self.charge(customer="broke"), self.charge(customer="ann")], [refusal] * 2)
        self.assertEqual(self.charge(2), (200, {"paymentId": 1}))

    def test_undoes_once_whatever_the_round_of_the_compensation(self):
        self.charge()
        self.assertEqual([self.refund(), self.refund(), self.refund(1, 2)], [200] * 3)
        self.assertEqual(self.ledger(), ["refunded"])
        self.assertEqual(self.charge(), (409, {"code": "COMPENSATED"}))

    def test_refuses_an_action_that_comes_after_its_compensation(self):
        self.assertEqual(self.refund(2), 200)
        self.assertEqual([self.charge(1)[0], self.charge(2)[0]], [409, 409])
        self.assertEqual(self.ledger(), [])

    def test_refuses_a_lower_round_once_a_higher_one_has_come(self):
        self.assertEqual([self.charge(2)[0], self.charge(1)[0]], [200, 409])
        self.assertEqual(self.ledger(), ["charged"])

    def test_keeps_nothing_of_what_broke(self):
        with self.assertRaises(sqlite3.Error):
            self.payments.answer("/charge", headers_of("action"), {"customer": "ann"})
        self.assertEqual(self.charge(), (200, {"paymentId": 1}))


if __name__ == "__main__":
    unittest.main(verbosity=2)
