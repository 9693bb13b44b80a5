"""Tests of the saga `order`, against a running `makegood dev order.yaml`."""

import json
import os
import time
import unittest
import urllib.error
import urllib.request

REST = os.environ.get("REST", "http://127.0.0.1:7700")
DEV = os.environ.get("DEV", "http://127.0.0.1:7701")


def ask(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or "{}")
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{method} {url}: {error.code} {error.read().decode()}") from error


def program(path, *answers):
    ask("POST", DEV + "/dev/answers", {"path": path, "answers": list(answers)})


def calls(path):
    return ask("GET", f"{DEV}/dev/calls?path={path}")["items"]


def advance(by):
    ask("POST", DEV + "/dev/clock/advance", {"by": by})


def start(identity):
    ask("POST", f"{REST}/api/saga/execute", {"definition": "order", "id": identity, "input": {"item": "book"}})


def await_that(holds, what):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within 20 s: {what}")


def await_state(identity, state):
    def is_there():
        shown = ask("GET", f"{REST}/api/saga/executions/{identity}")
        return shown if shown["state"] == state else None
    return await_that(is_there, f"{identity} is {state}")


class Order(unittest.TestCase):
    def setUp(self):
        ask("POST", DEV + "/dev/reset")

    def test_is_paid_although_the_service_fails_twice_after_it_has_charged(self):
        program("/payments/charge", {"status": 500, "effect": True, "times": 2},
                {"status": 200, "body": {"paymentId": "p-1"}})
        start("py-1")
        await_that(lambda: len(calls("/payments/charge")) == 1, "the first charge")
        advance("1m")
        await_that(lambda: len(calls("/payments/charge")) == 2, "the second charge")
        advance("1m")
        self.assertEqual(await_state("py-1", "completed")["output"], {"payment": "p-1"})
        keys = {call["headers"]["idempotency-key"] for call in calls("/payments/charge")}
        self.assertEqual(len(keys), 1)

    def test_gives_the_stock_back_when_the_payment_is_refused(self):
        program("/payments/charge", {"status": 422, "body": {"code": "INSUFFICIENT_FUNDS"}})
        start("py-2")
        await_state("py-2", "compensated")
        self.assertEqual(len(calls("/stock/release")), 1)
        self.assertEqual(calls("/payments/refund"), [])

    def test_waits_for_a_payment_that_is_confirmed_later(self):
        program("/payments/charge", {"status": 202, "callback": {"outcome": "ok", "output": {"paymentId": "p-3"}},
                                     "callback_after_ms": 100})
        start("py-3")
        self.assertEqual(await_state("py-3", "completed")["output"], {"payment": "p-3"})

    def test_is_undone_when_the_payment_hangs_until_the_deadline(self):
        program("/payments/charge", {"hang": True, "times": 0})
        start("py-4")
        await_that(lambda: calls("/payments/charge"), "the charge")
        for _ in range(20):
            advance("10m")
            if calls("/payments/refund"):
                break
            time.sleep(0.1)
        await_state("py-4", "compensated")
        self.assertEqual(len(calls("/stock/release")), 1)


if __name__ == "__main__":
    unittest.main()
