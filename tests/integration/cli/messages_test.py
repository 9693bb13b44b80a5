"""makegood outbox enqueue, list, show and tail."""

import json
import subprocess
import unittest

from program import PROGRAM, clean_environment
from server import ServerCase
from store import ENQUEUE, STORE, WHO, StoreCase


class MessageCase(StoreCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def enqueue(self, *arguments):
        return self.json("outbox", "enqueue", *arguments, *STORE)


class Enqueue(MessageCase):
    def test_keeps_the_payload_to_the_letter(self):
        self.enqueue("order.placed", '{"total": 12.50}', "--event-id", "e-1", "--tenant", "acme", "--key", "order-7",
                     "--header", "source=till=2", "--priority", "3")
        row, = self.execute(("SELECT topic, payload, event_id, tenant_id, dispatch_key, priority "
                             "FROM makegood_outbox",))
        self.assertEqual(row, ("order.placed", '{"total": 12.50}', "e-1", "acme", "order-7", 3))
        self.assertEqual(self.json("outbox", "show", "e-1", *STORE)["headers"], {"source": "till=2"})

    def test_reads_the_payload_from_its_input(self):
        subprocess.run([PROGRAM, "outbox", "enqueue", "order.placed", "-", *STORE], cwd=self.folder, input=b'{"a":1}',
                       env=clean_environment(), check=True, capture_output=True, timeout=60)
        self.assertEqual(self.json("outbox", "show", "1", *STORE)["payload_text"], '{"a":1}')

    def test_says_that_an_event_was_there(self):
        first = self.succeed("outbox", "enqueue", "order.placed", "--event-id", "e-1", *STORE)
        again = self.succeed("outbox", "enqueue", "order.placed", "--event-id", "e-1", *STORE)
        self.assertEqual((first, again), ("1 e-1\n", "1 e-1 (was there)\n"))

    def test_refuses_the_same_event_with_other_content(self):
        self.enqueue("order.placed", "--event-id", "e-1")
        done = self.fail_with(1, "outbox", "enqueue", "order.paid", "--event-id", "e-1", *STORE)
        self.assertIn("[STORAGE.CONFLICT]", done.stderr)

    def test_takes_many_from_a_file_all_or_none(self):
        self.write("many", '{"topic":"a","payload":1}\n\n{"topic":"b","payload":2}\n')
        self.assertEqual(len(self.enqueue("--lines", "many")["items"]), 2)
        self.write("many", '{"topic":"a","payload":1}\n{"topik":"b","payload":2}\n')
        self.assertIn("topik", self.fail_with(1, "outbox", "enqueue", "--lines", "many", *STORE).stderr)
        self.assertEqual(len(self.json("outbox", "list", *STORE)["items"]), 2)

    def test_follows_the_rules_of_the_configuration(self):
        self.write("order.json", '{"type": "object", "required": ["order"]}')
        for code, *arguments in (
                ("[TX.PAYLOAD_TOO_LARGE]", "order.placed", '{"order":1}', "--set", "tx.outbox.payload_bytes_max=10"),
                ("[REQUEST.INVALID]", "order.placed", "--set", "tx.outbox.topic_grammar=versioned"),
                ("[SCHEMA.VALIDATION_FAILED]", "order.placed", "{}", "--set", "tx.outbox.schemas=order.*=order.json")):
            with self.subTest(code):
                self.assertIn(code, self.fail_with(1, "outbox", "enqueue", *arguments, *STORE).stderr)
        self.assertEqual(self.json("outbox", "list", *STORE)["items"], [])

    def test_wants_a_topic_or_a_file(self):
        self.assertIn("--lines", self.fail_with(1, "outbox", "enqueue", *STORE).stderr)


class List(MessageCase):
    def setUp(self):
        super().setUp()
        for number in range(5):
            self.enqueue(f"order.{'placed' if number % 2 else 'paid'}", "--key", f"order-{number}")

    def test_begins_with_the_newest(self):
        lines = self.succeed("outbox", "list", *STORE).splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:]], ["5", "4", "3", "2", "1"])
        self.assertRegex(lines[1], r"^5 +pending +default +order.paid +order-4 +0 +\d+ s ago ")

    def test_is_narrowed_by_topic_key_and_time(self):
        self.assertEqual(len(self.json("outbox", "list", "--topic", "*.placed", *STORE)["items"]), 2)
        one, = self.json("outbox", "list", "--key", "order-3", *STORE)["items"]
        self.assertEqual(one["sequence"], 4)
        self.assertEqual(len(self.json("outbox", "list", "--from", "1h", *STORE)["items"]), 5)
        self.assertEqual(self.json("outbox", "list", "--until", "1h", *STORE)["items"], [])

    def test_goes_on_with_a_cursor(self):
        out = self.succeed("outbox", "list", "--limit", "2", *STORE)
        self.assertIn("go on with --cursor 4.", out)
        page = self.json("outbox", "list", "--limit", "2", "--cursor", "4", *STORE)
        self.assertEqual([message["sequence"] for message in page["items"]], [3, 2])

    def test_says_what_a_moment_looks_like(self):
        self.assertIn("how long ago", self.fail_with(1, "outbox", "list", "--from", "noon", *STORE).stderr)


class Show(MessageCase):
    def test_tells_the_story_of_a_message(self):
        self.kill("no answer")
        self.succeed("dead", "annotate", "1", "fn:billing", "ask billing", "--operator", "ann", "--wait", "0", *STORE)
        out = self.succeed("outbox", "show", "1", *STORE)
        for text in ("Message 1 is dead.", "order.placed", "payload    {}", "fn:billing: dead", "annotate",
                     "ask billing"):
            self.assertIn(text, out)

    def test_without_a_message_is_of_the_outbox(self):
        self.execute(ENQUEUE)
        out = self.succeed("outbox", "show", *STORE)
        self.assertIn("nobody, ever", out)
        self.assertIn("0 of 1, 1 to go", out)
        self.assertEqual(self.json("outbox", "show", *STORE)["lane"]["lag"], 1)

    def test_says_that_there_is_no_such_message(self):
        self.assertIn("[REQUEST.NOT_FOUND]", self.fail_with(1, "outbox", "show", "7", *STORE).stderr)


class Tail(MessageCase):
    def follow(self, *arguments):
        tail = subprocess.Popen([PROGRAM, "outbox", "tail", *arguments], cwd=self.folder, env=clean_environment(),
                                stdout=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(tail.stdout.close)
        self.addCleanup(tail.wait)
        self.addCleanup(tail.kill)
        return tail

    def test_lists_messages_of_a_store_as_they_come(self):
        self.enqueue("order.placed")
        self.enqueue("order.paid")
        tail = self.follow("--last", "1", "--limit", "2", "--topic", "order.*", *STORE)
        self.assertIn("order.paid", tail.stdout.readline())
        self.enqueue("mail.sent")
        self.enqueue("order.returned")
        self.assertIn("order.returned", tail.stdout.readline())
        self.assertEqual(tail.wait(20), 0)

    def test_gives_programs_an_object_per_line(self):
        self.enqueue("order.placed")
        tail = self.follow("--last", "1", "--limit", "1", "--json", *STORE)
        self.assertEqual(json.loads(tail.stdout.readline())["topic"], "order.placed")


class TailOfServer(ServerCase):
    def test_tells_of_deliveries(self):
        endpoint = self.endpoint()
        self.succeed("destinations", "add", "http:in", "--url", endpoint.url, "--route", "*", *WHO, *self.server)
        tail = subprocess.Popen([PROGRAM, "outbox", "tail", "--limit", "1", "--json", "--topic", "order.*",
                                 *self.server], cwd=self.folder, env=clean_environment(), stdout=subprocess.PIPE,
                                encoding="utf-8")
        self.addCleanup(tail.stdout.close)
        self.addCleanup(tail.wait)
        self.addCleanup(tail.kill)

        def is_told():
            self.succeed("outbox", "enqueue", "order.placed", *self.server)
            return tail.poll() is not None

        self.await_that(is_told)
        event = json.loads(tail.stdout.readline())
        self.assertEqual((event["kind"], event["topic"], event["destination"]),
                         ("delivered", "order.placed", "http:in"))


if __name__ == "__main__":
    unittest.main()
