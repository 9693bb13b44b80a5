#!/usr/bin/env python3
"""From one database over a real Kafka into another: each message once, in the order of its key, whoever is killed."""

import collections
import http.server
import json
import os
import random
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
import kafka_server  # noqa: E402

PROGRAM = os.path.abspath(os.environ["MAKEGOOD_PROGRAM"])
KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")
WAIT_SECONDS = 120
KEYS = 5


def makegood(folder, *arguments, **options):
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    environment |= {"MAKEGOOD_SERVER_OPEN_ON_LOOPBACK": "true", "MAKEGOOD_SERVER_DOOR_FOLDER": f"{folder}/door"}
    return dict(args=[PROGRAM, *arguments], cwd=folder, env=environment, encoding="utf-8", **options)


def command_topic(servers, *arguments):
    command = ["java", "-cp", f"{kafka_server.jars()}/*", "org.apache.kafka.tools.TopicCommand", "--bootstrap-server",
               servers, *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def create_topic(servers, topic, partitions):
    command_topic(servers, "--create", "--topic", topic, "--partitions", str(partitions))


class Ledger:
    """The consumer's business: an endpoint that counts each event once, by its id, and remembers in which order the
    first deliveries came."""

    def __init__(self):
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.first = collections.OrderedDict()
        self.answers = 0
        ledger = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802, the name is given
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                ledger.take(self.headers["ce-id"], body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/in"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, event_id, body):
        with self.lock:
            self.answers += 1
            self.first.setdefault(event_id, body)
            self.changed.notify_all()

    def await_count(self, count, seconds):
        with self.lock:
            return self.changed.wait_for(lambda: len(self.first) >= count, seconds)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Daemon:
    """A verb that runs until it is ended."""

    def __init__(self, folder, *arguments):
        self.log = tempfile.TemporaryFile(mode="w+", encoding="utf-8")
        self.process = subprocess.Popen(**makegood(folder, *arguments, stdout=subprocess.PIPE, stderr=self.log))
        found = re.search(r"http://[\d.:]+", self.process.stdout.readline())
        if found is None:
            raise AssertionError(self.told())
        self.server = found.group()

    def told(self):
        self.log.seek(0)
        return self.log.read()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(60)
        self.process.stdout.close()


class ConsumeCase(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if not os.environ.get("MAKEGOOD_KAFKA"):
            raise unittest.SkipTest("MAKEGOOD_KAFKA names no Kafka; ./test starts one, if Java and Maven are there")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-consume-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.servers = os.environ["MAKEGOOD_KAFKA"].split()[0]
        self.topic = f"orders-{uuid.uuid4().hex[:8]}"
        self.ledger = Ledger()
        self.addCleanup(self.ledger.close)
        self.daemons = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for daemon in self.daemons:
            if daemon.process.poll() is None:
                daemon.end(signal.SIGKILL)
            daemon.log.close()

    def run_daemon(self, *arguments):
        self.daemons.append(Daemon(self.folder, *arguments))
        return self.daemons[-1]

    def call(self, *arguments):
        done = subprocess.run(**makegood(self.folder, *arguments), capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def produce(self):
        """The producer's side: an outbox whose messages go to the topic."""
        with open(os.path.join(self.folder, "shop.yaml"), "w", encoding="utf-8") as file:
            file.write(f"""
destinations:
  - name: kafka:orders
    kafka: {{servers: ["kafka://{self.servers}"], topic: {self.topic}}}
routes:
  - {{pattern: "order.*", destination: kafka:orders}}
""")
        return self.run_daemon("serve", "--store", "sqlite:shop.db", "--listen", "127.0.0.1:0", "--apply", "shop.yaml")

    def commit_orders(self, first, count):
        """In transactions of the application's own."""
        shop = sqlite3.connect(os.path.join(self.folder, "shop.db"), timeout=30)
        for number in range(first, first + count):
            with shop:
                shop.execute("INSERT INTO makegood_outbox (topic, dispatch_key, payload) VALUES (?, ?, ?)",
                             ("order.placed", f"k{number % KEYS}", json.dumps({"number": number})))
        shop.close()

    def consume(self, *arguments):
        return self.run_daemon("consume", "--store", "sqlite:billing.db", "--from", "kafka:orders", "--broker",
                               f"kafka://{self.servers}", "--topic", self.topic, "--group", self.topic, "--to",
                               self.ledger.url, *arguments)

    def taken_in(self):
        billing = sqlite3.connect(os.path.join(self.folder, "billing.db"), timeout=30)
        rows = billing.execute("SELECT event_id, payload FROM kafka_orders WHERE topic = 'order.placed' "
                               "ORDER BY sequence").fetchall()
        billing.close()
        return rows

    def committed(self):
        shop = sqlite3.connect(os.path.join(self.folder, "shop.db"), timeout=30)
        rows = shop.execute("SELECT event_id FROM makegood_outbox WHERE topic = 'order.placed'").fetchall()
        shop.close()
        return sorted(row[0] for row in rows)

    def expect_each_once_in_order(self, count):
        self.assertTrue(self.ledger.await_count(count, WAIT_SECONDS), self.daemons[-1].told()[-3000:])
        rows = self.taken_in()
        self.assertEqual(sorted(event_id for event_id, _ in rows), self.committed())
        self.assertEqual(sorted(self.ledger.first), self.committed())
        for key in range(KEYS):
            of_key = [body["number"] for body in self.ledger.first.values() if body["number"] % KEYS == key]
            self.assertEqual(of_key, sorted(of_key))

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
        chance = random.Random(7)
        total = 0
        for _ in range(6):
            consumer = self.consume()
            writer = threading.Thread(target=self.commit_orders, args=(total, 150))
            writer.start()
            total += 150
            self.ledger.await_count(total - chance.randrange(1, 150), 20)  # Somewhere in the middle of it.
            consumer.end(signal.SIGKILL)
            writer.join()
        self.consume()
        self.expect_each_once_in_order(total)

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
