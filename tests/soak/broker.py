"""A broker that gets the orders too, dies now and then, and at the end is read by a client that others wrote."""

import collections
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import broker_clients  # noqa: E402
from broker_servers import BROKERS  # noqa: E402

PLACE = "soak"
TOPIC = "soak.order.v1"
SETTINGS = {"kafka": {"topic": PLACE}, "nats": {"subject": f"{PLACE}.orders"}, "amqp": {"routing_key": PLACE},
            "redis": {"stream": PLACE}}
STORES_ONCE = ("nats", "redis")  # They know what they have stored, and store no repeat.


class NoBroker:
    kind, kills = "none", 0

    def prepare(self):
        pass

    def destinations(self):
        return [], []

    def check(self, _story):
        return []

    def line(self):
        return "no broker"

    def end(self):
        pass


class Broker:
    def __init__(self, kind, folder):
        self.kind = kind
        self.server = BROKERS[kind](os.path.join(folder, kind))
        self.kills = 0
        self.stored, self.repeated = 0, 0

    def prepare(self):
        broker_clients.bring_along()
        self.server.start()
        broker_clients.make_place(self.kind, self.server.url(), PLACE)

    def destinations(self):
        """Short times, so that a run sees much."""
        settings = {"servers": [self.server.url()], **SETTINGS[self.kind]}
        destination = {"name": f"{self.kind}:{PLACE}", "timeout_ms": 2000, self.kind: settings,
                       "retry": {"attempts_max": 1000, "base_ms": 50, "cap_ms": 1000},
                       "circuit": {"failures_max": 10, "wait_min_ms": 200, "wait_max_ms": 1000}}
        return [destination], [{"pattern": "soak.order.*", "destination": destination["name"]}]

    def kill(self, seconds_away):
        self.kills += 1
        self.server.kill()
        time.sleep(seconds_away)
        self.server.start()

    def check(self, story):
        """Each order is there, as it was committed, and after the one of its key that came before."""
        read = list(broker_clients.read(self.kind, self.server.url(), PLACE))
        self.stored = len(read)
        return judge(story, read, self)

    def line(self):
        return f"{self.kind}: {self.stored} stored, {self.repeated} of them again, {self.kills} kills"

    def end(self):
        self.server.remove()


def judge(story, read, broker):
    """What is wrong with what a consumer has read, in its order."""
    violations = []
    expected = {event: message for event, message in story.messages.items() if message.topic == TOPIC}
    times = collections.Counter(record["headers"]["event_id"] for record in read)
    broker.repeated = len(read) - len(times)
    violations += [f"{broker.kind} lacks {event}, which was committed" for event in expected.keys() - times.keys()]
    violations += [f"{broker.kind} has {event}, which was never committed" for event in times.keys() - expected.keys()]
    if broker.kind in STORES_ONCE and broker.repeated:
        violations.append(f"{broker.kind} has {broker.repeated} messages twice, and should know what it has")
    if broker.repeated and not (story.kills or story.freezes or broker.kills):
        violations.append(f"{broker.kind} has {broker.repeated} messages twice, and nobody was killed")
    return violations + judge_order(read, expected, broker.kind)


def judge_order(read, expected, kind):
    violations, seen, last = [], set(), {}
    for record in read:
        event = record["headers"]["event_id"]
        if event in seen or event not in expected:
            continue
        seen.add(event)
        message = expected[event]
        if record["digest"] != message.digest:
            violations.append(f"{kind} has {event} with other bytes than were committed")
        if message.index <= last.get(message.key, 0):
            violations.append(f"{kind} has {event} behind a later one of {message.key}")
        last[message.key] = message.index
    return violations
