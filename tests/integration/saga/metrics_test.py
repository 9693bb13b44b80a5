"""What a daemon counts of sagas, read from it as a scraper does."""

import unittest

from ground import BROKEN, OK, on_both_stores, step

REFUSED = (422, {"code": "DECLINED"})


class Scraped:
    def value(self, name, **labels):
        """Of the one series with these labels."""
        wanted = [f'{label}="{value}"' for label, value in labels.items()]
        lines = [line for line in self.node.ask("GET", "/metrics").body.decode().splitlines()
                 if line.startswith((name + "{", name + " ")) and all(one in line for one in wanted)]
        self.assertLessEqual(len(lines), 1, lines)
        return float(lines[0].rpartition(" ")[2]) if lines else None


@on_both_stores
class AfterARestart(Scraped):
    def test_a_saga_whose_first_news_is_a_failure_has_had_a_0(self):
        self.define(step("charge"))
        self.node.end(9)
        self.node = self.start_node()
        for name in ("tx_saga_failed_total", "tx_saga_unverified_total", "saga_manual_intervention_total"):
            self.await_(lambda: self.value(name, **{"def": self.order}) == 0, f"{name} is there")


@on_both_stores
class Metrics(Scraped):
    VARIABLES = {"MAKEGOOD_METRICS_TENANT_LABEL": "all"}

    def of_order(self, name, **labels):
        return self.value(name, **{"def": self.order, "tenant": "default", **labels})

    def test_have_what_became_of_executions_by_definition_and_tenant(self):
        self.define(step("reserve"), step("charge"))
        self.assertEqual(self.execute(wait=20).json()["state"], "completed")
        self.shop.script("/charge", REFUSED)
        self.assertEqual(self.execute(f"{self.id}-2", wait=20).json()["state"], "compensated")
        for name, labels, value in (
                ("tx_saga_started_total", {}, 2), ("tx_saga_completed_total", {}, 1), ("tx_saga_failed_total", {}, 0),
                ("tx_saga_compensate_total", {}, 1), ("tx_saga_compensated_total", {}, 1),
                ("saga_execution_total", {"state": "completed"}, 1),
                ("saga_compensation_total", {"result": "success"}, 1),
                ("saga_compensation_total", {"result": "failure"}, 0), ("saga_manual_intervention_total", {}, 0)):
            self.assertEqual(self.of_order(name, **labels), value, name)
        latency = {"def": self.order, "step": "reserve"}
        self.assertEqual(self.value("tx_saga_step_latency_ms_count", **latency), 2)
        self.assertEqual(self.value("tx_saga_owner"), 1)
        self.await_(lambda: self.value("tx_saga_active") == 0, "none is in memory any more")

    def test_count_a_failure_and_its_replay(self):
        before = self.value("tx_replay_total", kind="saga")
        self.shop.script("/charge", REFUSED)
        self.shop.script("/undo-reserve", BROKEN)
        self.define(step("reserve"), step("charge"), give_up_after="1s")
        self.execute()
        self.await_state("failed")
        self.assertEqual(self.of_order("tx_saga_failed_total"), 1)
        self.assertEqual(self.of_order("saga_compensation_total", result="failure"), 1)
        self.shop.script("/undo-reserve", OK)
        self.assertEqual(self.operate("retry").status, 200)
        self.await_state("compensated")
        self.assertEqual(self.value("tx_replay_total", kind="saga"), (before or 0) + 1)

    def test_count_what_is_undone_and_not_verified(self):
        self.shop.script("/charge", BROKEN)
        self.define(step("charge", retry={"base": "50ms", "attempts_max": 1}))
        self.execute()
        self.await_state("compensated")
        self.assertEqual(self.of_order("tx_saga_unverified_total"), 1)
        self.assertEqual(self.show()["unverified"], ["charge"])
        self.assertIn(f"Executions of {self.order} are undone while a request of charge", self.node.log())


if __name__ == "__main__":
    unittest.main()
