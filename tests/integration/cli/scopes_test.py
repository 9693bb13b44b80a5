"""makegood outbox pause, resume, history, cancel-history and unblock."""

import re
import unittest

from store import AT_ONCE, ENQUEUE, STORE, WHO, StoreCase

ROUTES = (("*", "fn:billing"), ("*", "fn:mail"))


class ScopeCase(StoreCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def recorded(self):
        """The request that was asked for last, as its owner will read it."""
        row, = self.execute(("SELECT kind, sequence, destination, tenant_id, until, operator, reason "
                             "FROM makegood_outbox_request ORDER BY id DESC LIMIT 1",))
        return row

    def count_requests(self):
        return self.execute(("SELECT count(*) FROM makegood_outbox_request",))[0][0]


class Scopes(ScopeCase):
    def test_of_a_whole_destination_are_recorded_with_operator_and_reason(self):
        self.write_routes(*ROUTES)
        for verb in ("pause", "resume", "history", "cancel-history"):
            with self.subTest(verb):
                out = self.succeed("outbox", verb, "fn:billing", *STORE, *WHO)
                self.assertIn("is recorded. With its next turn the owner of the lane ", out)
                request = re.match(r"Request (\d+) ", out).group(1)
                self.assertIn(f"'makegood outbox answer {request}' tells what became of it", out)
                kind = verb.removesuffix("-history")
                self.assertEqual(self.recorded(), (kind, 0, "fn:billing", "", 0, "ann", "a try"))
                self.assertIn("open", self.succeed("outbox", "answer", request, *STORE))

    def test_of_a_tenant_name_it(self):
        self.write_routes(*ROUTES)
        for verb in ("pause", "resume", "history", "cancel-history"):
            with self.subTest(verb):
                self.succeed("outbox", verb, "fn:mail", "--tenant", "acme", *STORE, "--operator", "ann", *AT_ONCE)
                kind = verb.removesuffix("-history")
                self.assertEqual(self.recorded(), (kind, 0, "fn:mail", "acme", 0, "ann", ""))

    def test_without_an_operator_are_those_of_whoever_is_logged_in(self):
        self.write_routes(*ROUTES)
        for verb in ("pause", "resume", "history", "cancel-history"):
            self.succeed("outbox", verb, "fn:mail", "--tenant", "acme", *STORE, *AT_ONCE, USER="zoe")
            self.assertEqual(self.recorded(), (verb.removesuffix("-history"), 0, "fn:mail", "acme", 0, "zoe", ""))

    def test_of_a_destination_that_no_route_names_are_refused_with_a_hint(self):
        self.write_routes(*ROUTES)
        near = self.fail_with(1, "outbox", "pause", "fn:biling", *STORE, *WHO).stderr
        self.assertIn("Is it fn:billing? [REQUEST.NOT_FOUND]\n", near)
        far = self.fail_with(1, "outbox", "history", "http:warehouse", *STORE, *WHO).stderr
        self.assertIn("There are: fn:billing, fn:mail.", far)
        self.assertEqual(self.count_requests(), 0)

    def test_can_be_asked_for_before_the_first_relay_has_run(self):
        self.succeed("outbox", "pause", "fn:billing", *STORE, *WHO)
        self.assertEqual(self.recorded()[0], "pause")

    def test_of_a_destination_that_is_gone_can_be_asked_for_while_it_has_a_side_lane(self):
        self.write_routes(*ROUTES)
        position = {"reached": 0, "open": [], "under_way": {}, "sides": [
            {"destination": "fn:old", "why": "paused", "is_paused": True, "reached": 0, "under_way": []}]}
        self.write_turn(position)
        self.succeed("outbox", "resume", "fn:old", *STORE, *WHO)
        self.assertEqual(self.recorded()[2], "fn:old")


class History(ScopeCase):
    def test_has_a_beginning_and_an_end(self):
        self.succeed("outbox", "history", "fn:billing", "--from", "5", "--until", "9", *STORE, *WHO)
        self.assertEqual(self.recorded(), ("history", 5, "fn:billing", "", 9, "ann", "a try"))

    def test_refuses_an_end_before_its_beginning(self):
        done = self.fail_with(1, "outbox", "history", "fn:billing", "--from", "9", "--until", "5", *STORE, *WHO)
        self.assertRegex(done.stderr, r"until is 5, before from; it names the last message.*\[REQUEST.INVALID\]")
        self.assertEqual(self.count_requests(), 0)

    def test_begins_with_a_number(self):
        self.assertIn("--from", self.fail_with(2, "outbox", "history", "fn:a", "--from", "0", *STORE, *WHO).stderr)

    def test_says_that_it_is_also_the_backfill(self):
        self.assertIn("backfill of a new destination", self.succeed("outbox", "history", "--help"))


class Blocked(ScopeCase):
    def block(self):
        self.execute(ENQUEUE, ("""
            INSERT INTO makegood_outbox_parked (sequence, destination, tenant_id, dispatch_key, slot, state, blocks,
              attempts, due_at, error_code, last_error, story, parked_at, changed_at, event_id)
            SELECT 1, 'fn:billing', 'default', 'order-7', 0, 'waiting', 1, 2, 0, 'TX.TIMEOUT', '', '[]', 0, 0, event_id
            FROM makegood_outbox WHERE sequence = 1
            """,))

    def test_keys_are_listed_with_their_head(self):
        self.assertEqual(self.json("outbox", "blocked", *STORE), {"items": [], "next": None})
        self.block()
        row = self.succeed("outbox", "blocked", *STORE).splitlines()[1]
        self.assertRegex(row, r"^default +order-7 +fn:billing +1 +waiting +2 +0 ")

    def test_keys_are_unblocked(self):
        self.block()
        self.succeed("outbox", "unblock", "1", "fn:billing", *STORE, *WHO)
        self.assertEqual(self.recorded()[:3], ("unblock", 1, "fn:billing"))

    def test_keys_that_are_not_there_are_refused(self):
        done = self.fail_with(1, "outbox", "unblock", "1", "fn:billing", *STORE, *WHO)
        self.assertIn("[REQUEST.NOT_FOUND]", done.stderr)
        self.assertEqual(self.count_requests(), 0)


if __name__ == "__main__":
    unittest.main()
