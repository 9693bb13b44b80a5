#!/usr/bin/env python3
"""From one database over a real Kafka into another: each message once, in the order of its key, whoever is killed."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
import consuming  # noqa: E402
import kafka_server  # noqa: E402
from consuming import WAIT_SECONDS  # noqa: E402


def command_topic(servers, *arguments):
    command = ["java", "-cp", f"{kafka_server.jars()}/*", "org.apache.kafka.tools.TopicCommand", "--bootstrap-server",
               servers, *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def create_topic(servers, topic, partitions):
    command_topic(servers, "--create", "--topic", topic, "--partitions", str(partitions))


class KafkaCase(consuming.ConsumeCase):
    scheme = "kafka"

    @classmethod
    def setUpClass(cls):
        if not os.environ.get("MAKEGOOD_KAFKA"):
            raise unittest.SkipTest("MAKEGOOD_KAFKA names no Kafka; ./test starts one, if Java and Maven are there")

    def setUp(self):
        super().setUp()
        self.servers = os.environ["MAKEGOOD_KAFKA"].split()[0]
        self.topic = f"orders-{uuid.uuid4().hex[:8]}"

    def destination(self):
        return f"{{servers: [\"kafka://{self.servers}\"], topic: {self.topic}}}"

    def from_flags(self):
        return "--broker", f"kafka://{self.servers}", "--topic", self.topic, "--group", self.topic

    def test_each_message_has_one_effect_and_keeps_its_order(self):
        create_topic(self.servers, self.topic, 3)
        self.produce()
        consumer = self.consume()
        self.commit_orders(0, 200)
        self.expect_each_once_in_order(200)
        listed = json.loads(self.call("sources", "list", "--json", "--server", consumer.server))
        self.assertEqual(listed["items"][0]["state"], "reading")
        self.assertEqual(sum(place["taken_count"] for place in listed["items"][0]["places"]), 200)
        self.assertIn("kafka:orders", self.call("sources", "list", "--server", consumer.server))
        self.assertIn(f"{self.topic}/2", self.call("sources", "show", "kafka:orders", "--server", consumer.server))

    def test_a_consumer_that_is_killed_again_and_again_loses_and_doubles_nothing(self):
        create_topic(self.servers, self.topic, 3)
        self.produce()
        self.expect_kills_lose_and_double_nothing(6, 150)

    def test_nothing_is_lost_when_the_broker_is_killed_in_between(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-kafka-")
        self.addCleanup(folder.cleanup)
        place = os.path.join(folder.name, "kafka")
        own = kafka_server.Server(place)
        self.servers = own.start().words().split()[0]
        self.addCleanup(own.kill)
        create_topic(self.servers, self.topic, 3)
        self.produce()
        self.consume()
        self.commit_orders(0, 100)
        self.assertTrue(self.ledger.await_count(50, WAIT_SECONDS))
        own.kill()
        self.commit_orders(100, 100)
        own.start()
        self.commit_orders(200, 100)
        self.expect_each_once_in_order(300)

    def test_a_source_rests_and_goes_on_when_it_is_told_to(self):
        create_topic(self.servers, self.topic, 1)
        self.produce()
        consumer = self.consume()
        self.commit_orders(0, 10)
        self.expect_each_once_in_order(10)
        at = ("--server", consumer.server)
        self.call("sources", "pause", "kafka:orders", *at)
        self.commit_orders(10, 10)
        self.call("sources", "resume", "kafka:orders", *at)
        self.expect_each_once_in_order(20)
        # Read again from the beginning: everything is there already.
        self.call("sources", "move", "kafka:orders", f"{self.topic}/0", "0", *at)
        self.commit_orders(20, 1)
        self.expect_each_once_in_order(21)
        self.assertEqual(len(self.taken_in()), 21)
        self.call("sources", "remove", "kafka:orders", *at)
        self.assertEqual(json.loads(self.call("sources", "list", "--json", *at))["items"], [])

    def test_a_source_whose_topic_was_deleted_is_in_status_and_the_advice_shows_it(self):
        create_topic(self.servers, self.topic, 1)
        self.produce()
        consumer = self.consume()
        self.commit_orders(0, 3)
        self.expect_each_once_in_order(3)
        self.daemons[0].end()  # Nobody makes the topic anew.
        command_topic(self.servers, "--delete", "--topic", self.topic)
        at = ("--server", consumer.server)
        words = "The source kafka:orders is not read: "
        until = time.monotonic() + WAIT_SECONDS
        while words not in (told := self.call("status", *at)):
            self.assertLess(time.monotonic(), until, told + consumer.told()[-3000:])
            time.sleep(0.2)
        _, _, below = told.partition(words)
        because, *lines = below.splitlines()
        advice = next(line for line in lines if "→ " in line).partition("→ ")[2]
        program, *arguments = shlex.split(advice)
        self.assertEqual((program, arguments[:3]), ("makegood", ["sources", "show", "kafka:orders"]))
        self.assertIn(because.rpartition(" [")[0] or because, self.call(*arguments))


if __name__ == "__main__":
    unittest.main()
