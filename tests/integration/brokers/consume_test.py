#!/usr/bin/env python3
"""consume_test.py KIND: from one database over a real NATS, Redis or RabbitMQ into another: each message once, in the
order of its key, whoever is killed."""

import json
import os
import signal
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
import broker_clients  # noqa: E402
import consuming  # noqa: E402
from broker_servers import BROKERS  # noqa: E402
from postgres_server import CannotRun  # noqa: E402

KIND = sys.argv.pop(1)
PLACE = "orders"
# Longer than a lease, and than an AMQP server waits for a sign of life.
FROZEN_SECONDS = 40
DESTINATIONS = {"nats": "subject: \"orders.{topic}\"", "redis": "stream: orders", "amqp": "routing_key: orders"}
FROM = {"nats": ("--stream", PLACE), "redis": ("--stream", PLACE), "amqp": ("--queue", PLACE)}


class BrokerCase(consuming.ConsumeCase):
    scheme = KIND

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="makegood-broker-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        try:
            broker_clients.bring_along()
            self.server = BROKERS[KIND](os.path.join(folder.name, "broker"))
            self.addCleanup(self.server.remove)
            self.server.start()
        except CannotRun as reason:
            self.skipTest(str(reason))
        if KIND == "amqp":
            broker_clients.Amqp(self.server.url()).make_for_one_reader(PLACE)
        else:
            broker_clients.make_place(KIND, self.server.url(), PLACE)

    def destination(self):
        return f"{{servers: [\"{self.server.url()}\"], {DESTINATIONS[KIND]}}}"

    def from_flags(self):
        return "--broker", self.server.url(), *FROM[KIND]

    def test_a_consumer_that_is_killed_again_and_again_loses_and_doubles_nothing(self):
        self.produce()
        self.expect_kills_lose_and_double_nothing(4, 100)

    def test_nothing_is_lost_when_the_broker_is_killed_in_between(self):
        self.produce()
        consumer = self.consume()
        self.commit_orders(0, 60)
        self.assertTrue(self.ledger.await_count(30, consuming.WAIT_SECONDS))
        self.server.kill()
        self.commit_orders(60, 60)
        self.server.start()
        self.commit_orders(120, 60)
        self.expect_each_once_in_order(180)
        listed = json.loads(self.call("sources", "list", "--json", "--server", consumer.server))
        self.assertEqual(listed["items"][0]["state"], "reading")

    def test_a_consumer_that_was_frozen_writes_nothing_when_it_wakes(self):
        self.produce()
        frozen = self.consume()
        self.commit_orders(0, 30)
        self.assertTrue(self.ledger.await_count(10, consuming.WAIT_SECONDS))
        frozen.process.send_signal(signal.SIGSTOP)
        self.commit_orders(30, 30)
        self.consume()
        self.ledger.await_count(60, FROZEN_SECONDS)  # Unless it was frozen in the midst of a write to the store.
        frozen.process.send_signal(signal.SIGCONT)
        self.commit_orders(60, 30)
        self.expect_each_once_in_order(90)


if __name__ == "__main__":
    unittest.main()
