"""A flood of callbacks: each counts once, all are answered, and the memory of the node is bounded."""

import concurrent.futures
import http.client
import itertools
import json
import os
import threading
import time
import unittest

from ground import FULL_SIZE_SECONDS, IS_FULL_SIZE, LATER, callback_path, on_both_stores, step

EXECUTIONS = 10_000 if IS_FULL_SIZE else 300
REPEATS = 10  # As participants do that were not sure to be heard.
CALLERS = 8
GROWTH_MIB_MAX = 64
PATIENCE = {"seconds": FULL_SIZE_SECONDS} if IS_FULL_SIZE else {}
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)


class Memory:
    """The highest resident size of a process while the object is open."""

    def __init__(self, process):
        self.path, self.ended = f"/proc/{process.pid}/statm", threading.Event()
        self.first = self.peak = self.now()
        self.thread = threading.Thread(target=self.watch)

    def now(self):
        with open(self.path, encoding="ascii") as file:
            return int(file.read().split()[1]) * PAGE_MIB

    def watch(self):
        while not self.ended.wait(0.02):
            self.peak = max(self.peak, self.now())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def growth(self):
        return self.peak - self.first


@on_both_stores
class Flood:
    # What a sanitizer has freed and keeps is not the node's.
    VARIABLES = {"ASAN_OPTIONS": ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1")))}

    def test_of_callbacks_is_taken_with_bounded_memory(self):
        self.define(step("charge", timeout="1h"))
        self.shop.script("/charge", LATER)
        with concurrent.futures.ThreadPoolExecutor(CALLERS) as pool:
            started = list(pool.map(lambda number: self.execute(f"{self.id}-{number}").status, range(EXECUTIONS)))
        self.assertEqual(set(started), {202})
        self.shop.await_calls("/charge", EXECUTIONS, **PATIENCE)
        paths = [callback_path(call) for call in self.shop.at("/charge")]
        began = time.monotonic()
        with Memory(self.node.process) as memory, concurrent.futures.ThreadPoolExecutor(CALLERS) as pool:
            shares = [(paths * REPEATS)[i::CALLERS] for i in range(CALLERS)]
            answers = list(itertools.chain(*pool.map(self.post_all, shares)))
            seconds = time.monotonic() - began
            self.await_(lambda: self.count_ended("completed") == EXECUTIONS, "all complete", **PATIENCE)
        print(f"{len(answers)} callbacks in {seconds:.2f} s, {memory.growth():+.1f} MiB", flush=True)
        self.assertEqual({status for status, _ in answers}, {200})
        self.assertEqual(sum(not was_there for _, was_there in answers), EXECUTIONS)
        self.assertLess(memory.growth(), GROWTH_MIB_MAX)

    def post_all(self, paths):
        connection = http.client.HTTPConnection(self.node.address, timeout=60)
        answers = []
        for path in paths:
            connection.request("POST", path, '{"outcome": "ok"}', {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answers.append((answer.status, json.loads(answer.read()).get("wasThere")))
        connection.close()
        return answers


if __name__ == "__main__":
    unittest.main()
