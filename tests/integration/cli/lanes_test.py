"""makegood outbox lanes and routes: on what an owner has written, and on a real run."""

import json
import re
import unittest

from server import ServerCase
from store import ENQUEUE, STORE, StoreCase

SIDES = [
    {"destination": "fn:billing", "why": "paused", "is_paused": True, "reached": 3, "under_way": []},
    {"destination": "fn:mail", "tenant_id": "acme", "dispatch_key": "order-7", "why": "crowded", "is_paused": False,
     "reached": 5, "under_way": [[2, 3], [5, 5]]},
    {"destination": "fn:search", "tenant_id": "acme", "priority": -1, "why": "history", "is_paused": False,
     "reached": 1, "under_way": [], "begin": 0, "end": 4, "routing": 1},
]
POSITION = {
    "reached": 6, "open": [[5, 5]], "under_way": {"fn:billing": [[4, 4]], "fn:mail": [[6, 6]]}, "sides": SIDES,
    "suspects": {"fn:mail": {"1": [[2, 2]], "3": [[6, 6]]}}, "alone": {"destination": "fn:mail", "sequence": 6},
}
ROUTES = [
    [{"pattern": "order.*", "destination": "fn:billing"}],
    [{"pattern": "order.*", "destination": "fn:billing"}, {"pattern": "*", "destination": "fn:mail"}],
]


class WrittenCase(StoreCase):
    """Turns and routes are rows as the owner of the lane would have written them."""

    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def write_messages_and_turn(self, position, lease_until=70_000):
        self.execute(*[ENQUEUE] * 8)
        self.write_turn(position, lease_until=lease_until)

    def write_versions(self):
        for version, routes in enumerate(ROUTES, start=1):
            destinations = [{"name": route["destination"], "ordering": "block"} for route in routes]
            document = json.dumps({"routes": routes, "destinations": destinations})
            self.execute(("INSERT INTO makegood_outbox_route (version, from_sequence, at, owner, document) "
                          "VALUES (?, ?, 0, 'owner-1', ?)", (version, (version - 1) * 10, document)))


class Lanes(WrittenCase):
    def test_say_that_nobody_has_taken_them(self):
        self.execute(ENQUEUE)
        lines = self.succeed("outbox", "lanes", *STORE).splitlines()
        self.assertEqual(lines[0], "No relay has ever taken this lane. The counter is at 1.")
        self.assertEqual(lines[3].split(), ["main", "-", "no", "0", "1", "0", "-"])
        lane = json.loads(self.succeed("outbox", "lanes", *STORE, "--json"))
        self.assertEqual((lane["owner"], lane["turn"], lane["lag"]), (None, 0, 1))
        self.assertEqual((lane["sides"], lane["suspects"]), ([], []))

    def test_are_shown_with_owner_lag_and_side_lanes(self):
        self.write_messages_and_turn(POSITION)
        self.assertEqual(self.succeed("outbox", "lanes", *STORE).splitlines(), [
            "Owner owner-1, turn 12 of 1970-01-01T00:01:00.000Z, lease until 1970-01-01T00:01:10.000Z. "
            "The counter is at 8.",
            "",
            "LANE                               WHY      PAUSED  REACHED  LAG  UNDER WAY  END",
            "main                               -        no      6        2    2          -",
            "fn:billing                         paused   yes     3        5    0          -",
            "fn:mail tenant=acme key=order-7    crowded  no      5        3    3          -",
            "fn:search tenant=acme priority=-1  history  no      1        3    0          4",
            "",
            "SUSPECT  DESTINATION  DEATHS  ALONE",
            "2        fn:mail      1       no",
            "6        fn:mail      3       yes"])

    def test_reach_programs_in_full(self):
        self.write_messages_and_turn(POSITION)
        lane = json.loads(self.succeed("outbox", "lanes", *STORE, "--json"))
        sides = lane.pop("sides")
        self.assertEqual(lane, {
            "owner": "owner-1", "is_owned": False, "turn": 12, "at": "1970-01-01T00:01:00.000Z",
            "lease_until": "1970-01-01T00:01:10.000Z",
            "counter": 8, "reached": 6, "lag": 2, "under_way_count": 2, "open_count": 1,
            "suspects": [{"destination": "fn:mail", "sequence": 2, "deaths": 1, "is_alone": False},
                         {"destination": "fn:mail", "sequence": 6, "deaths": 3, "is_alone": True}]})
        self.assertEqual(sides[1], {
            "destination": "fn:mail", "tenant_id": "acme", "dispatch_key": "order-7", "priority": None,
            "why": "crowded", "is_paused": False, "because": None, "since": None, "reached": 5, "lag": 3,
            "under_way_count": 3, "end": None})
        self.assertEqual((sides[0]["is_paused"], sides[2]["priority"], sides[2]["end"]), (True, -1, 4))

    def test_say_when_they_were_given_up(self):
        self.write_messages_and_turn({"reached": 8, "open": [], "under_way": {}}, lease_until=60_000)
        self.assertIn("turn 12 of 1970-01-01T00:01:00.000Z, given up.", self.succeed("outbox", "lanes", *STORE))

    def test_cannot_steer_the_terminal(self):
        side = {"destination": "fn:a", "tenant_id": "\x1b[2J", "why": "crowded", "is_paused": False, "reached": 1,
                "under_way": []}
        self.write_messages_and_turn({"reached": 8, "open": [], "under_way": {}, "sides": [side]})
        self.assertIn("fn:a tenant=\\x1b[2J", self.succeed("outbox", "lanes", *STORE))

    def test_of_tables_that_are_not_there_cannot_be_shown(self):
        done = self.fail_with(1, "outbox", "lanes", *STORE, "--outbox", "other_outbox")
        self.assertIn("[STORAGE.SCHEMA]", done.stderr)


class Routes(WrittenCase):
    def versions(self):
        return json.loads(self.succeed("outbox", "routes", *STORE, "--json"))["items"]

    def test_are_empty_before_the_first_relay(self):
        self.assertEqual(self.succeed("outbox", "routes", *STORE).split(),
                         ["VERSION", "FROM", "PATTERN", "DESTINATION"])
        self.assertEqual(self.versions(), [])

    def test_are_shown_by_version_and_first_message(self):
        self.write_versions()
        self.assertEqual([line.split() for line in self.succeed("outbox", "routes", *STORE).splitlines()[1:]], [
            ["1", "1", "order.*", "fn:billing"], ["2", "11", "order.*", "fn:billing"], ["2", "11", "*", "fn:mail"]])
        self.assertEqual(self.versions(), [
            {"version": 1, "from_sequence": 1, "routes": ROUTES[0], "destinations": ["fn:billing"]},
            {"version": 2, "from_sequence": 11, "routes": ROUTES[1], "destinations": ["fn:billing", "fn:mail"]}])


class RealRun(ServerCase):
    """The owner of the lane carries out what is asked of it."""

    def setUp(self):
        super().setUp()
        self.received = self.endpoint()
        self.succeed("destinations", "add", "http:in", "--url", self.received.url, "--route", "*", "--operator", "ann",
                     *self.server)
        self.enqueue()
        self.await_that(lambda: len(self.received.topics) == 1)
        self.await_that(lambda: self.lane()["reached"] == 1 and self.lane()["under_way_count"] == 0)

    def enqueue(self):
        self.succeed("outbox", "enqueue", "order.placed", *self.server)

    def ask(self, verb, *arguments):
        out = self.succeed("outbox", verb, "http:in", *arguments, *self.server, "--operator", "ann")
        request = re.match(r"Request (\d+) is done", out).group(1)
        self.assertEqual(self.succeed("outbox", "answer", request, *STORE).splitlines()[0], "done")

    def lane(self):
        return json.loads(self.succeed("outbox", "lanes", *STORE, "--json"))

    def test_shows_its_routes(self):
        *_, version = json.loads(self.succeed("outbox", "routes", *STORE, "--json"))["items"]
        self.assertEqual(version["routes"], [{"pattern": "*", "destination": "http:in"}])

    def test_is_paused_and_goes_on(self):
        self.ask("pause")
        side, = self.lane()["sides"]
        self.assertEqual((side["destination"], side["why"], side["is_paused"]), ("http:in", "paused", True))
        self.enqueue()
        self.await_that(lambda: self.lane()["sides"][0]["lag"] > 0)
        self.assertEqual(len(self.received.topics), 1)
        self.ask("resume")
        self.await_that(lambda: not self.lane()["sides"])
        self.await_that(lambda: len(self.received.topics) == 2)

    def test_delivers_its_history_again(self):
        self.ask("history", "--until", "1")
        self.await_that(lambda: len(self.received.topics) == 2)


if __name__ == "__main__":
    unittest.main()
