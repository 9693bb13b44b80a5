"""Every verb gives the same answer on a server's URL and on the store itself."""

import unittest

from server import ServerCase
from store import STORE, WHO

LOOKING = [
    ("status",),
    ("outbox", "list"),
    ("outbox", "list", "--topic", "order.*", "--state", "done", "--limit", "1"),
    ("outbox", "show"),
    ("outbox", "show", "1"),
    ("outbox", "blocked"),
    ("outbox", "answer", "1"),
    ("destinations", "list"),
    ("dead", "list"),
    ("dead", "groups"),
    ("dead", "show", "2", "-"),
    ("dead", "replay", "--all", "--dry-run", *WHO),
]
ASKING = [
    ("outbox", "pause", "http:in"),
    ("outbox", "resume", "http:in"),
    ("outbox", "history", "http:in", "--until", "1"),
    ("destinations", "disable", "http:in"),
    ("destinations", "enable", "http:in"),
    ("dead", "quarantine", "2", "-"),
    ("dead", "release", "2", "-"),
]
ASKED = ("--operator", "ann", "--reason", "a try")


def without_time(answer):
    """What differs from one moment to the next."""
    moving = {"at", "turn", "lease_until", "owner_at", "request", "duration_ms", "oldest_age_ms"}
    if isinstance(answer, dict):
        return {name: without_time(value) for name, value in answer.items() if name not in moving}
    return [without_time(value) for value in answer] if isinstance(answer, list) else answer


class BothWays(ServerCase):
    def setUp(self):
        super().setUp()
        self.received = self.endpoint()
        self.succeed("destinations", "add", "http:in", "--url", self.received.url, "--route", "order.*", *ASKED,
                     *self.server)
        self.succeed("outbox", "enqueue", "order.placed", "--event-id", "e-1", *self.server)
        self.succeed("outbox", "enqueue", "lost.topic", "--event-id", "e-2", *self.server)
        self.await_that(lambda: self.received.topics and self.json("dead", "list", *self.server)["items"])
        self.await_that(self.is_at_rest)

    def is_at_rest(self):
        """Everything is delivered and recorded, and nothing goes on beside the main lane but a pause."""
        outbox = self.json("outbox", "show", *self.server)
        sides = [side for side in outbox["sides"] if not side["is_paused"]]
        return outbox["lane"]["lag"] == 0 and outbox["lane"]["under_way_count"] == 0 and not sides

    def test_what_is_looked_at_is_the_same(self):
        for verb in LOOKING:
            with self.subTest(verb):
                on_server = self.json(*verb, *self.server)
                self.assertEqual(without_time(on_server), without_time(self.json(*verb, *STORE)))
                self.assertNotEqual(on_server, {})

    def test_what_is_asked_for_is_carried_out(self):
        for way in (self.server, STORE):
            for verb in ASKING:
                with self.subTest(verb, way=way):
                    self.assertEqual(self.json(*verb, *ASKED, *way)["result"], "done")
                    self.await_that(self.is_at_rest)

    def test_errors_are_the_same(self):
        for verb in (("outbox", "show", "99"), ("dead", "replay", "99", "http:in", *ASKED),
                     ("destinations", "test", "http:on"), ("outbox", "pause", "http:on", *ASKED)):
            with self.subTest(verb):
                on_server = self.fail_with(1, *verb, *self.server).stderr
                self.assertEqual(on_server, self.fail_with(1, *verb, *STORE).stderr)


if __name__ == "__main__":
    unittest.main()
