"""Each way to make or lose money is noticed."""

import unittest

from conservation import Transfers, check, effects_of


def transfers(state, entries):
    return Transfers(committed={"t1": 50}, states={"t1": state}, cents={"t1": 50},
                     entries=[("t1", step, cents) for step, cents in entries])


DONE = list(effects_of(50).items())
UNDONE = [(step, -cents) for step, cents in DONE]


class Conservation(unittest.TestCase):
    def complaint(self, story):
        return " | ".join(check(story))

    def test_all_done_or_all_undone_is_well(self):
        self.assertEqual(check(transfers("completed", DONE)), [])
        self.assertEqual(check(transfers("compensated", DONE + UNDONE)), [])
        self.assertEqual(check(transfers("cancelled", [])), [])

    def test_a_step_that_was_done_twice(self):
        self.assertIn("its step fee has moved +20 instead of +10",
                      self.complaint(transfers("completed", [*DONE, ("fee", 10)])))

    def test_a_step_that_was_left_out(self):
        self.assertIn("its step withdraw has moved +0", self.complaint(transfers("completed", DONE[1:])))

    def test_a_refund_that_is_missing(self):
        self.assertIn("t1 is compensated, and its step fee",
                      self.complaint(transfers("compensated", DONE + UNDONE[:2])))

    def test_a_refund_that_was_made_twice(self):
        self.assertIn("its step withdraw has moved +50",
                      self.complaint(transfers("cancelled", [*DONE, *UNDONE, UNDONE[0]])))

    def test_one_that_has_not_ended(self):
        self.assertIn("t1 has come to no end: manual", self.complaint(transfers("manual", [])))

    def test_one_that_is_gone_and_one_that_never_was(self):
        self.assertIn("t1 was committed and is gone", self.complaint(Transfers(committed={"t1": 50})))
        self.assertIn("t1 was never started and has moved money", self.complaint(Transfers(entries=[("t1", "fee", 1)])))


if __name__ == "__main__":
    unittest.main()
