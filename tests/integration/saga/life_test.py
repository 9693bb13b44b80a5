"""Named cases of a life: outages of participants and of ourselves, definitions that change, starts that repeat."""

import concurrent.futures
import signal
import time
import unittest

from ground import FULL_SIZE_SECONDS, IS_FULL_SIZE, LATER, OK, SagaCase, on_both_stores, step

# Payments are away for as long as executions are started, and a little longer.
STARTED_PER_SECOND, SECONDS_AWAY = (100, 120) if IS_FULL_SIZE else (120, 1)
EXECUTIONS = STARTED_PER_SECOND * SECONDS_AWAY
# When payments are back, all that have waited come at once: none of them may run into its attempt's deadline for that.
TIMEOUT = "60s" if IS_FULL_SIZE else "1s"
PATIENCE = {"seconds": FULL_SIZE_SECONDS} if IS_FULL_SIZE else {}


@on_both_stores
class Life:
    def test_with_payments_away_ends_well_and_without_a_dead_letter(self):
        payments = self.participants("payments")
        self.define(step("reserve", timeout=TIMEOUT),
                    step("charge", payments.name, timeout=TIMEOUT, retry={"base": "50ms", "attempts_max": 2}))
        self.start_steadily()
        self.await_(lambda: len(self.shop.at("/reserve")) >= EXECUTIONS, "all have reserved", **PATIENCE)
        away_until = time.monotonic() + 3  # Each has been refused often by then.
        self.await_(lambda: time.monotonic() > away_until, "the outage ends")
        payments.open()
        self.await_(lambda: self.count_ended("completed") == EXECUTIONS, "all complete", **PATIENCE)
        self.assertEqual(self.count_ended("failed"), 0)
        self.assertNotIn("/undo-reserve", self.shop.paths())
        self.assertEqual(len(payments.at("/charge")), EXECUTIONS)

    def start_steadily(self):
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for second in range(SECONDS_AWAY):
                numbers = range(second * STARTED_PER_SECOND, (second + 1) * STARTED_PER_SECOND)
                answers = pool.map(lambda number: self.execute(f"{self.id}-{number}").status, numbers)
                self.assertEqual(set(answers), {202})
                self.await_(lambda at=second: time.monotonic() >= began + at, "a second has passed")
        print(f"{EXECUTIONS} executions started in {time.monotonic() - began:.0f} s", flush=True)

    def test_of_a_lone_execution_goes_on_after_refusals(self):
        """Nobody else finds out for it that the participant is back."""
        payments = self.participants("payments")
        self.define(step("charge", payments.name, retry={"base": "50ms", "cap": "500ms", "attempts_max": 2}))
        self.execute()
        self.await_(lambda: self.show().get("waitsFor") in ("retry", "circuit"), "it waits")
        refused_until = time.monotonic() + 5
        self.await_(lambda: time.monotonic() > refused_until, "the refusals end")
        self.assertIn(self.show()["state"], ("waiting", "running"))
        payments.open()
        opened = time.monotonic()
        self.await_state("completed")
        self.assertLess(time.monotonic() - opened, 5)

    def test_does_not_count_the_time_in_which_we_were_down(self):
        """Longer than the deadline and than the attempt's; nobody is at fault but us. (Five seconds after a taking no
        deadline fires, and those do count.)"""
        self.define(step("reserve"), step("charge", timeout="2s"), deadline="9s")
        self.shop.script("/charge", LATER, OK)
        self.execute()
        self.shop.await_calls("/charge")
        self.await_(lambda: self.show().get("waitsFor") == "callback", "it waits")
        self.node.end(signal.SIGKILL)
        down_until = time.monotonic() + 9.5
        self.await_(lambda: time.monotonic() > down_until, "we are down")
        self.node = self.start_node()
        self.await_state("completed")
        first, second = self.shop.at("/charge")
        self.assertEqual(first.headers["idempotency-key"], second.headers["idempotency-key"])
        self.assertNotIn("/undo-reserve", self.shop.paths())

    def test_ends_with_the_definition_that_it_began_with(self):
        self.assertEqual(self.define(step("charge", timeout="1h"), step("ship"))["version"], 1)
        self.shop.script("/charge", LATER)
        self.execute(f"{self.id}-old")
        charge = self.shop.await_calls("/charge")
        self.assertEqual(self.define(step("charge"), step("mail"))["version"], 2)
        self.shop.script("/charge", OK)
        self.assertEqual(self.execute(f"{self.id}-new", wait=20).json()["status"], "COMPLETED")
        self.assertEqual(self.call_back(charge).status, 200)
        self.await_state("completed", identity=f"{self.id}-old")
        self.assertEqual([self.show(f"{self.id}-{each}")["version"] for each in ("old", "new")], [1, 2])
        self.assertEqual(sorted(self.shop.paths()), ["/charge", "/charge", "/mail", "/ship"])

    def test_is_one_however_often_it_is_started(self):
        self.define(step("charge"))
        self.assertEqual(self.execute(wait=20).json()["status"], "COMPLETED")
        self.assertEqual(self.execute(wait=20).json()["status"], "COMPLETED")
        other = self.execute(input={"cents": 200})
        self.assertEqual((other.status, other.json()["code"]), (409, "STORAGE.CONFLICT"))
        with self.assertRaisesRegex(Exception, "(?i)unique"):
            self.start_by_sql()
        self.assertEqual(len(self.shop.at("/charge")), 1)

    def test_of_an_unknown_definition_begins_when_it_is_known(self):
        self.start_by_sql()
        failed = self.await_state("failed")
        self.assertEqual(failed["failure"]["code"], "SAGA.NO_DEFINITION")
        self.define(step("charge"))
        self.assertEqual(self.operate("retry").status, 200)
        self.await_state("completed")
        self.assertEqual(self.shop.paths(), ["/charge"])

    def test_with_a_template_that_leads_nowhere_waits_for_a_person(self):
        self.define(step("reserve"), step("charge", input={"card": "${input.card}"}))
        self.execute()
        manual = self.await_state("manual")
        self.assertEqual(manual["failure"]["code"], "SAGA.NO_VALUE")
        self.assertEqual(self.shop.paths(), ["/reserve"])
        self.assertEqual(self.operate("compensate").status, 200)
        self.await_state("compensated")
        self.assertEqual(self.shop.paths(), ["/reserve", "/undo-reserve"])


class TwoNodesOnPostgres(SagaCase):
    STORE = "postgres"

    def setUp(self):
        super().setUp()
        self.define(step("charge", timeout="3s"), step("ship"))
        self.owner, self.other = self.node, self.start_node()

    def test_one_frozen_in_the_middle_of_a_call_is_followed_by_the_other(self):
        """Thawed, it sends nothing more; what it had begun is known by its key."""
        frozen = []

        def freeze(_):
            if not frozen:
                frozen.append(self.owner_now())
                frozen[0].send(signal.SIGSTOP)
            return OK

        self.shop.script("/charge", freeze)
        self.execute()
        self.shop.await_calls("/charge")
        self.await_(lambda: frozen, "one is frozen")
        self.node = next(node for node in (self.owner, self.other) if node is not frozen[0])
        self.await_state("completed")
        count = len(self.shop.calls)
        frozen[0].send(signal.SIGCONT)
        self.execute(f"{self.id}-2")
        self.await_state("completed", identity=f"{self.id}-2")
        charges = [call.headers for call in self.shop.at("/charge") if call.headers["makegood-execution"] == self.id]
        self.assertEqual(len({headers["idempotency-key"] for headers in charges}), 1)
        self.assertEqual([call.path for call in self.shop.calls[count:]], ["/charge", "/ship"])
        self.assertEqual(self.node.metric("tx_outbox_fenced_total"), 0)

    def owner_now(self):
        return self.owner  # It was there first.


if __name__ == "__main__":
    unittest.main()
