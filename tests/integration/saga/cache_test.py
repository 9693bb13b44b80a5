"""Executions in a real Redis, which is killed: what is there is what REST tells, and nobody waits for it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
sys.path.insert(0, HERE)

from broker_servers import BROKERS  # noqa: E402
from ground import PROGRAM, DaemonCase, Participants, clean_environment, step  # noqa: E402

DAY_MS = 24 * 60 * 60 * 1000
SKIPPED = 77


class Redis:
    """What another program reads, in the server's own protocol."""

    def __init__(self, port):
        self.port = port

    def ask(self, *words):
        command = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(command.encode())
            stream = connection.makefile("rb")
            kind = stream.readline().decode().strip()
            if kind.startswith(":"):
                return int(kind[1:])
            self.expect(kind.startswith("$"), kind)
            length = int(kind[1:])
            return None if length < 0 else stream.read(length).decode()

    @staticmethod
    def expect(is_so, what):
        if not is_so:
            raise AssertionError(what)

    def execution(self, identity):
        text = self.ask("GET", f"saga:execution:default:{identity}")
        return json.loads(text) if text else None


class Cache(DaemonCase):
    def setUp(self):
        super().setUp()
        self.server = BROKERS["redis"](os.path.join(self.folder, "redis"))
        self.addCleanup(self.server.remove)
        self.server.start()
        self.redis = Redis(self.server.port())
        self.shop = Participants().open()
        self.addCleanup(self.shop.close)
        self.node = self.start_ready("--set", f"tx.saga.cache_url={self.server.url()}")
        self.define()

    def define(self):
        path = os.path.join(self.folder, "saga.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"destinations": [{"name": "http:shop", "http": {"url": f"http://127.0.0.1:{self.shop.port}/"}}],
                       "sagas": [{"name": "order", "output": {"secret": "${charge.number}"},
                                  "steps": [step("charge", timeout="30s")]}]}, file)
        self.succeed("apply", "-f", path, "--yes", "--reason", "a try")

    @staticmethod
    def run_program(*arguments):
        return subprocess.run([PROGRAM, *arguments], env=clean_environment(), timeout=60, text=True,
                              capture_output=True, check=False)

    def succeed(self, *arguments):
        done = self.run_program(*arguments, "--server", f"http://{self.node.address}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def run_order(self, identity):
        self.shop.script("/charge", (200, {"number": "4711-hidden"}))
        self.succeed("saga", "start", "order", "--id", identity, "--wait", "30", "--input", '{"card": "4711-hidden"}')

    def told(self, identity):
        return json.loads(self.node.ask("GET", f"/api/saga/executions/{identity}").body)

    def metric(self, name):
        lines = self.node.ask("GET", "/metrics").body.decode().splitlines()
        return [int(line.split()[1]) for line in lines if line.startswith(name + " ")]

    def await_state(self, identity, state):
        self.await_(lambda: (self.redis.execution(identity) or {}).get("state") == state, f"{identity} is {state}")

    def test_has_what_rest_tells_but_no_contents_for_a_day(self):
        self.run_order("o-1")
        self.await_state("o-1", "completed")
        cached, told = self.redis.execution("o-1"), self.told("o-1")
        for name in ("executionId", "tenantId", "chainName", "status", "version", "startedAt", "completedAt"):
            self.assertEqual(cached[name], told[name], name)
        self.assertEqual([each["status"] for each in cached["steps"]], ["COMPLETED"])
        self.assertNotIn("hidden", json.dumps(cached))
        self.assertIn("hidden", json.dumps(told))
        left = self.redis.ask("PTTL", "saga:execution:default:o-1")
        self.assertTrue(DAY_MS - 60_000 < left <= DAY_MS, left)

    def test_follows_an_execution_from_its_first_step_to_its_end(self):
        answer = threading.Event()
        self.addCleanup(answer.set)
        self.shop.script("/charge", lambda _: answer.wait(30) and (422, {"code": "NO"}))
        self.succeed("saga", "start", "order", "--id", "o-2", "--input", "{}")
        self.await_state("o-2", "running")
        answer.set()
        self.await_state("o-2", "compensated")

    def test_goes_on_while_redis_is_away_and_counts_it(self):
        self.run_order("o-1")
        self.await_state("o-1", "completed")
        self.assertEqual(self.metric("saga_redis_fallback_total"), [0])
        self.server.kill()
        self.run_order("o-3")
        self.await_(lambda: self.metric("saga_redis_fallback_total")[0] > 0, "it is counted")
        self.assertEqual(self.told("o-3")["state"], "completed")
        self.server.start()
        self.await_state("o-3", "completed")
        self.run_order("o-4")
        self.await_state("o-4", "completed")
        self.assertIn("cache of sagas is back", self.node.log())

    def test_an_address_that_is_none_is_a_mistake_at_the_start(self):
        done = self.run_program("serve", "--store", f"sqlite:{self.folder}/other.db", "--listen", "127.0.0.1:0",
                                "--set", "tx.saga.cache_url=http://:secret@127.0.0.1/")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("redis://", done.stderr)
        self.assertNotIn("secret", done.stderr)


if __name__ == "__main__":
    if shutil.which("redis-server") is None:
        print("SKIPPED: redis-server is not there; ./test installs it")
        sys.exit(SKIPPED)
    unittest.main()
