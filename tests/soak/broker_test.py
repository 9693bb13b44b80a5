"""What is wrong with a broker's content is found; and nothing where there is nothing."""

import unittest

from broker import NoBroker, judge
from checker import Message, Story


class Content(NoBroker):
    def __init__(self, kind="kafka", kills=1):
        self.kind, self.kills = kind, kills


def record(number, digest=None):
    return {"headers": {"event_id": f"m-{number}"}, "digest": digest or f"digest-{number}"}


class JudgeTest(unittest.TestCase):
    def setUp(self):
        orders = {f"m-{i}": Message(f"m-{i}", "key", i, "soak.order.v1", f"digest-{i}") for i in (1, 2, 3)}
        refund = Message("m-9", "key", 9, "soak.refund.v1", "digest-9")
        self.story = Story(messages={**orders, "m-9": refund})

    def found(self, *records, kind="kafka", kills=1):
        return " ".join(judge(self.story, list(records), Content(kind, kills)))

    def test_all_in_order_is_fine(self):
        self.assertEqual(self.found(record(1), record(2), record(3)), "")

    def test_a_repeat_after_a_kill_is_fine(self):
        self.assertEqual(self.found(record(1), record(2), record(1), record(2), record(3)), "")

    def test_a_repeat_that_nothing_explains(self):
        self.assertIn("nobody was killed", self.found(record(1), record(1), record(2), record(3), kills=0))

    def test_a_repeat_where_the_broker_should_have_known(self):
        self.assertIn("should know", self.found(record(1), record(1), record(2), record(3), kind="nats"))

    def test_a_loss(self):
        self.assertIn("lacks m-2", self.found(record(1), record(3)))

    def test_a_phantom(self):
        self.assertIn("m-4, which was never committed", self.found(record(1), record(2), record(3), record(4)))

    def test_what_goes_elsewhere(self):
        self.assertIn("m-9", self.found(record(1), record(2), record(3), record(9)))

    def test_another_order(self):
        self.assertIn("m-2 behind a later one", self.found(record(1), record(3), record(2)))

    def test_other_bytes(self):
        self.assertIn("other bytes", self.found(record(1, "else"), record(2), record(3)))


if __name__ == "__main__":
    unittest.main()
