"""The checker finds what it is there to find; and nothing where there is nothing."""

import unittest

import memory
import tables
from checker import Message, Receipt, Story, check


def a_story():
    """Two messages of one key, both delivered to both endpoints; the first needed a retry at one of them."""
    messages = {f"m-{i}": Message(f"m-{i}", "key", i, "soak.order.v1", f"digest-{i}") for i in (1, 2)}
    receipts = [
        Receipt(10.0, "faulty", "m-1", "busy", "digest-1", 10.01),
        Receipt(10.5, "faulty", "m-1", "ok", "digest-1", 10.51),
        Receipt(11.0, "faulty", "m-2", "ok", "digest-2", 11.01),
        Receipt(10.0, "steady", "m-1", "ok", "digest-1", 10.01),
        Receipt(10.1, "steady", "m-2", "ok", "digest-2", 10.11),
    ]
    return Story(messages=messages, rolled_back={"m-3"}, log={"m-1": 1, "m-2": 2}, business={"m-1", "m-2"},
                 receipts=receipts)


class CheckerTest(unittest.TestCase):
    def setUp(self):
        self.story = a_story()

    def assert_found(self, words):
        found = check(self.story).violations
        self.assertTrue(any(words in sentence for sentence in found), found)

    def assert_fine(self):
        self.assertEqual(check(self.story).violations, [])

    def drop(self, to, event):
        self.story.receipts = [receipt for receipt in self.story.receipts if (receipt.to, receipt.event) != (to, event)]

    def add(self, *fields):
        self.story.receipts.append(Receipt(*fields))

    def test_has_nothing_to_say_about_a_good_run(self):
        self.assert_fine()
        self.assertEqual(check(self.story).explained, {"retry": 1})

    def test_finds_a_loss_at_one_of_two_destinations(self):
        self.drop("steady", "m-2")
        self.assert_found("m-2 was committed, and steady has never taken it")

    def test_accepts_a_dead_letter_only_where_it_was_refused(self):
        self.drop("faulty", "m-2")
        self.story.dead = {("m-2", "faulty")}
        self.assert_found("never refused it")
        self.add(11.0, "faulty", "m-2", "refused", "digest-2", 11.01)
        self.assert_fine()

    def test_finds_what_was_never_committed(self):
        self.add(12.0, "faulty", "m-3", "ok", "digest-3", 12.01)
        self.assert_found("m-3, which was never committed")

    def test_finds_what_was_sent_to_the_wrong_place(self):
        self.story.messages["m-2"].topic = "soak.refund.v1"
        self.assert_found("which was not for it")

    def test_finds_other_bytes(self):
        self.story.receipts[1].digest = "other"
        self.assert_found("other bytes")

    def test_finds_a_business_row_without_its_message_and_the_other_way_round(self):
        del self.story.log["m-2"]
        self.assert_found("m-2 was committed and is not in the log")
        self.story = a_story()
        self.story.business = {"m-1"}
        self.assert_found("m-2 was committed and has no business row")
        self.story = a_story()
        self.story.log["m-3"] = 3
        self.assert_found("m-3 was rolled back and is in the log")
        self.story.log["m-4"] = 4
        self.assert_found("m-4 is in the log and nobody has written it")

    def test_finds_a_message_that_overtook_its_key(self):
        self.story.receipts[2].at = 9.9
        self.assert_found("received m-2 before m-1")

    def test_finds_a_message_that_did_not_wait_for_the_retry_before_it(self):
        self.story.receipts[2].at = 10.2
        self.assert_found("received m-2 while m-1")

    def test_finds_a_repeat_that_nothing_explains(self):
        self.add(12.0, "steady", "m-2", "ok", "digest-2", 12.01)
        self.assert_found("received m-2 again")

    def test_takes_a_kill_a_freeze_or_a_late_answer_for_an_explanation(self):
        self.add(12.0, "steady", "m-2", "ok", "digest-2", 12.01)
        self.story.kills = [11.5]
        self.assert_fine()
        self.story.kills = [12.5]
        self.assert_found("received m-2 again")
        self.story.kills, self.story.freezes = [], [(11.0, 11.5)]
        self.assert_fine()
        self.story.freezes = []
        self.story.receipts[4].end = 0.0
        self.assert_fine()

    def test_wants_a_replay_to_be_asked_for(self):
        self.story.receipts[2].verdict = "refused"
        self.add(13.0, "faulty", "m-2", "ok", "digest-2", 13.01)
        self.assert_found("received m-2 again")
        self.story.replays = [(12.0, "m-1")]
        self.assert_found("received m-2 again")
        self.story.replays = [(12.0, "m-2")]
        self.assert_fine()

    def test_finds_what_is_neither_done_nor_dead(self):
        self.story.unfinished = 3
        self.assert_found("3 messages are neither done nor dead")


class MemoryTest(unittest.TestCase):
    def test_is_flat_after_a_warm_up_however_noisy(self):
        samples = [(at, 20 + min(at, 60) / 10 + at % 3) for at in range(0, 300)]
        self.assertIsNone(memory.judge(samples))

    def test_grows_when_it_grows(self):
        self.assertIn("grew by", memory.judge([(at, 20 + at / 20) for at in range(0, 300)]))

    def test_says_nothing_about_a_short_life(self):
        self.assertIsNone(memory.judge([(at, 20 + at) for at in range(0, 30)]))


class TablesTest(unittest.TestCase):
    @staticmethod
    def samples(mib_at, seconds=300):
        return [(at, {"makegood_outbox": tables.Size(mib_at(at)), "makegood_outbox_turn": tables.Size(2)})
                for at in range(0, seconds)]

    def test_are_bounded_once_the_space_of_removed_rows_is_found_again(self):
        self.assertEqual(tables.judge(self.samples(lambda at: min(at, 100) / 10 + at % 2 / 10)), [])

    def test_grow_when_nobody_cleans_or_nothing_is_found_again(self):
        found = tables.judge(self.samples(lambda at: at / 10))
        self.assertEqual(len(found), 1, found)
        self.assertIn("makegood_outbox grew by 9.9 MiB", found[0])

    def test_are_not_judged_after_a_short_time(self):
        self.assertEqual(tables.judge(self.samples(lambda at: at, seconds=30)), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
