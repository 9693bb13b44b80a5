"""Keys of `makegood serve`: stored answers under a seal, and what is told of keys on the event stream."""

import base64
import contextlib
import http.client
import json
import os
import subprocess
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "server"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

from daemon import GENEROUS_SECONDS, PROGRAM, DaemonCase, clean_environment  # noqa: E402
from postgres_database import ask, database_of, needs_postgres  # noqa: E402

CONFIGURATION = 3
SECRET = b"VERY-SECRET-WORD"
LINES = {number: f"{number} {number:02x}" + f"{number:02x}" * 31 + "\n" for number in (1, 2)}


class KeyCase(DaemonCase):
    """On SQLite; `store` is called once for each test."""

    def setUp(self):
        super().setUp()
        self.url = self.store()

    def store(self):
        return "sqlite:shop.db"

    def serve(self, *flags):
        return self.start_ready(*flags, store=self.url)

    def call(self, daemon, verb, **fields):
        answer = daemon.ask("POST", f"/api/idempotency/{verb}", {"scope": "pay", **fields})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def claim(self, daemon, key, **more):
        return self.call(daemon, "claim", key=key, fingerprint="f", **more)

    def finish(self, daemon, key, token, body):
        self.call(daemon, "finish", key=key, token=token, status=201, digest="order 7",
                  body_base64=base64.b64encode(body).decode())


class Sealed(KeyCase):
    FLAGS = ("--set", "tx.idempo.seal_file=seal.keys")

    def seal(self, *numbers, mode=0o600):
        self.write("seal.keys", "".join(LINES[number] for number in numbers))
        os.chmod(self.path("seal.keys"), mode)

    def show(self, *flags):
        done = subprocess.run([PROGRAM, "idempotency", "show", "k", "--scope", "pay", "--store", self.url, *flags],
                              cwd=self.folder, env=clean_environment(), capture_output=True, text=True,
                              timeout=GENEROUS_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def expect_no_secret(self):
        for name in os.listdir(self.folder):
            if name.startswith("shop.db"):
                with open(self.path(name), "rb") as file:
                    self.assertNotIn(SECRET, file.read(), name)

    def test_an_answer_is_read_by_nobody_else_and_given_again_after_a_rotation(self):
        self.seal(1)
        daemon = self.serve(*self.FLAGS)
        self.finish(daemon, "k", self.claim(daemon, "k")["token"], SECRET)
        hit = self.claim(daemon, "k")
        self.assertEqual((hit["outcome"], hit["sealed_by"], hit["unopened"]), ("hit", "1", None))
        self.assertEqual(base64.b64decode(hit["body_base64"]), SECRET)
        daemon.end()
        self.expect_no_secret()
        self.seal(2, 1)
        rotated = self.serve(*self.FLAGS)
        self.assertEqual(base64.b64decode(self.claim(rotated, "k")["body_base64"]), SECRET)
        rotated.end()
        self.seal(2)
        late = self.serve(*self.FLAGS)
        hit = self.claim(late, "k")
        self.assertEqual((hit["outcome"], hit["status"], hit["digest"], hit["body_base64"], hit["is_truncated"]),
                         ("hit", 201, "order 7", None, True))
        self.assertIn("the key 1, which is not in the seal file; put its line back", hit["unopened"])
        self.assertIn(b"\ntx_idempo_unopened_total 1\n", late.ask("GET", "/metrics").body)
        self.finish(late, "new", self.claim(late, "new")["token"], SECRET)
        self.assertEqual(self.claim(late, "new")["sealed_by"], "2")

    def test_show_says_that_it_is_sealed_and_opens_it_for_who_has_the_key(self):
        self.seal(1)
        daemon = self.serve(*self.FLAGS)
        self.finish(daemon, "k", self.claim(daemon, "k")["token"], SECRET)
        daemon.end()
        self.assertIn("201, sealed with the key 1; The answer is sealed with the key 1, and no seal file is set.",
                      self.show())
        self.assertIn("201, sealed with the key 1; opened here", self.show(*self.FLAGS))
        shown = json.loads(self.show(*self.FLAGS, "--json"))
        self.assertEqual(base64.b64decode(shown["body_base64"]), SECRET)

    def test_a_file_that_is_no_seal_is_told_at_the_start(self):
        for text, words in ((None, "cannot be read"), ("1 abc\n", "64 hexadecimal digits"), ("", "has no key")):
            with self.subTest(words):
                if text is not None:
                    self.write("seal.keys", text)
                done = subprocess.run([PROGRAM, "serve", "--store", self.url, "--listen", "127.0.0.1:0", *self.FLAGS],
                                      cwd=self.folder, env=clean_environment(), capture_output=True, text=True,
                                      timeout=GENEROUS_SECONDS, check=False)
                self.assertEqual(done.returncode, CONFIGURATION, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertNotIn("abc", done.stderr)

    def test_a_file_that_everybody_may_read_is_warned_of(self):
        self.seal(1, mode=0o644)
        daemon = self.serve(*self.FLAGS)
        self.assertIn("everybody on this machine may read seal.keys", daemon.log())
        self.assertNotIn(LINES[1].split()[1], daemon.log())


class CommandLine(KeyCase):
    def makegood(self, *words, code=0):
        done = subprocess.run([PROGRAM, "idempotency", *words, "--store", self.url], cwd=self.folder, text=True,
                              env=clean_environment(), capture_output=True, timeout=GENEROUS_SECONDS, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def doubt(self, daemon, *keys):
        for key in keys:
            self.claim(daemon, key, lease_ms=1)
        self.await_(lambda: daemon.ask("GET", "/api/idempotency/counts").json()["in_doubt"] == len(keys), "they end")

    def test_an_operator_looks_and_decides(self):
        daemon = self.serve("--set", "tx.idempo.purge=false")
        self.doubt(daemon, "done", "not-done", "forgotten")
        self.claim(daemon, "live")
        listed = self.makegood("list", "--in-doubt", "--limit", "2")
        self.assertIn("done", listed)
        self.assertNotIn("live", listed)
        self.assertIn("There are more; go on with --cursor", listed)
        self.assertRegex(self.makegood("show", "live", "--scope", "pay"), "live is in_flight; .* is told: busy.")
        self.makegood("resolve", "done", "--scope", "pay", "--done", "--digest", "order 7")
        self.makegood("resolve", "not-done", "--scope", "pay", "--not-done")
        self.makegood("forget", "forgotten", "--scope", "pay")
        self.assertEqual({key: self.claim(daemon, key)["outcome"] for key in ("done", "not-done", "forgotten", "live")},
                         {"done": "hit", "not-done": "fresh", "forgotten": "fresh", "live": "busy"})
        self.assertEqual(self.claim(daemon, "done")["digest"], "order 7")
        refused = (("forget", "live"), ("resolve", "live", "--done"), ("resolve", "done", "--done"), ("show", "nobody"))
        for words in refused:
            self.assertIn("[", self.makegood(*words, "--scope", "pay", code=1))
        self.assertEqual(self.makegood("purge"), "0 keys purged\n")


class Events(KeyCase):
    FLAGS = ("--set", "tx.idempo.purge_interval_ms=1s")

    def follow(self, daemon, query):
        """The events as they come; the list grows by itself."""
        connection = http.client.HTTPConnection(daemon.address, timeout=GENEROUS_SECONDS)
        connection.request("GET", f"/api/events?{query}")
        response, events = connection.getresponse(), []

        def read():
            with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
                for line in response:
                    if line.startswith(b"data: "):
                        events.append(json.loads(line[6:]))

        threading.Thread(target=read, daemon=True).start()
        self.addCleanup(connection.close)
        return events

    def test_tell_what_becomes_of_keys_and_no_answers(self):
        daemon = self.serve(*self.FLAGS)
        events, told = self.follow(daemon, "kind=key"), self.follow(daemon, "kind=key_told")
        token = self.claim(daemon, "done")["token"]
        self.claim(daemon, "done")
        self.finish(daemon, "done", token, SECRET)
        self.claim(daemon, "done")
        failed = self.claim(daemon, "failed")["token"]
        self.call(daemon, "fail", key="failed", token=failed, code="BANK.AWAY")
        self.await_(lambda: len(events) == 4 and len(told) == 2, "all are told")
        self.assertEqual([(event["what"], event["key"], event["code"]) for event in events],
                         [("claimed", "done", ""), ("finished", "done", ""), ("claimed", "failed", ""),
                          ("failed", "failed", "BANK.AWAY")])
        self.assertEqual([(event["what"], event["code"]) for event in told], [("told", "busy"), ("told", "hit")])
        self.assertNotIn(base64.b64encode(SECRET).decode(), json.dumps(events))
        self.assertEqual({event["scope"] for event in events}, {"pay"})

    def test_tell_of_doubts_once_and_of_what_ends_them(self):
        daemon = self.serve(*self.FLAGS)
        events = self.follow(daemon, "kind=key")
        self.claim(daemon, "doubt", lease_ms=1)
        self.claim(daemon, "taken", lease_ms=1, after_lease="take_over")
        self.await_(lambda: any(event["what"] == "in_doubt" for event in events), "the doubt is found")
        taken = self.claim(daemon, "taken", after_lease="take_over")
        self.assertEqual((taken["outcome"], taken["is_taken_over"]), ("fresh", True))
        time.sleep(2.5)  # Two rounds more.
        self.call(daemon, "resolve", key="doubt", was_done=True)
        self.call(daemon, "forget", key="doubt")
        short = self.claim(daemon, "short", ttl_ms=1, lease_ms=1)["token"]
        self.assertEqual(self.call(daemon, "fail", key="short", token=short, code="X"), {"is_done": True})
        self.await_(lambda: self.call_purge(daemon) == 1, "its time is over")
        self.await_(lambda: events and events[-1]["what"] == "purged", "all are told")
        self.assertEqual([event["what"] for event in events if event["key"] == "doubt"],
                         ["claimed", "in_doubt", "resolved", "forgotten"])
        self.assertEqual([event["what"] for event in events if event["key"] == "taken"], ["claimed", "taken_over"])
        self.assertEqual((events[-1]["count"], events[-1]["key"]), (1, ""))

    @staticmethod
    def call_purge(daemon):
        return daemon.ask("POST", "/api/idempotency/purge", {"grace_ms": 0}).json()["purged"]


@needs_postgres
class SealedOnPostgres(Sealed):
    def store(self):
        return database_of(self)

    def expect_no_secret(self):
        self.assertEqual(ask(self.url, "SELECT count(*) FROM makegood_idempotency WHERE position("
                                       f"'{SECRET.decode()}'::bytea IN result_body) > 0"), "0")


@needs_postgres
class CommandLineOnPostgres(CommandLine):
    def store(self):
        return database_of(self)


@needs_postgres
class EventsOnPostgres(Events):
    def store(self):
        return database_of(self)


if __name__ == "__main__":
    unittest.main()
