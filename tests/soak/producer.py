#!/usr/bin/env python3
"""producer.py NAME STORE LEDGER SEED RATE: business rows and messages, each pair in one transaction.

Ends when its input is closed. Every fifth transaction is rolled back on purpose. The ledger says which; the business
rows say it again, independently.
"""

import hashlib
import json
import random
import select
import sys

from ledger import Ledger, now
from shop import open_shop

KEYS = 40
ROLLED_BACK_SHARE = 0.2
REFUND_SHARE = 0.3
POISON_SHARE = 0.01
HOPELESS_SHARE = 0.001


def kind_of(chance):
    """What the receiver will make of it: `poison` is refused at first, `hopeless` always."""
    if chance < HOPELESS_SHARE:
        return "hopeless"
    return "poison" if chance < POISON_SHARE else "plain"


class Producer:
    def __init__(self, name, store, ledger, seed):
        self.name = name
        self.chance = random.Random(f"{seed} {name}")
        self.shop = open_shop(store)
        self.ledger = Ledger(ledger)
        self.indexes = [0] * KEYS
        self.count = 0

    def event(self):
        self.count += 1
        key = self.chance.randrange(KEYS)
        payload = json.dumps({"event": f"{self.name}-{self.count}", "index": self.indexes[key] + 1,
                              "kind": kind_of(self.chance.random()), "filler": "x" * self.chance.randrange(600)})
        return {
            "event": f"{self.name}-{self.count}",
            "key": f"{self.name}-key-{key}",
            "index": self.indexes[key] + 1,
            "topic": "soak.refund.v1" if self.chance.random() < REFUND_SHARE else "soak.order.v1",
            "digest": hashlib.sha256(payload.encode()).hexdigest(),
        }, payload, key

    def produce(self):
        event, payload, key = self.event()
        try:
            is_committed = self.write(event, payload)
        except self.shop.Lost:
            is_committed = self.shop.has_committed(event)
        if is_committed:
            self.indexes[key] += 1
        self.ledger.write(**event, outcome="committed" if is_committed else "rolled back", at=now())

    def write(self, event, payload):
        self.shop.write(event, payload)
        if self.chance.random() < ROLLED_BACK_SHARE:
            self.shop.roll_back()
            return False
        self.shop.commit()
        return True

    def run(self, rate):
        next_at = now()
        while not select.select([sys.stdin], [], [], max(0.0, next_at - now()))[0]:
            self.produce()
            # Behind time by more than a second it does not try to catch up: that would be a burst, not a rate.
            next_at = max(next_at + self.chance.expovariate(rate), now() - 1)


if __name__ == "__main__":
    Producer(*sys.argv[1:5]).run(float(sys.argv[5]))
