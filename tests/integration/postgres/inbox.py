#!/usr/bin/env python3
"""inbox.py LEDGER: a quick receiver in a process of its own. Prints its URL; ends when its input is closed.

Each request is in the ledger before it is answered, one line each: when it came, its event id, its body. As a module:
Inbox(folder), which starts one and reads its ledger.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import namedtuple

HEADERS_END = b"\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
ENDED_WITHIN = 10

Arrival = namedtuple("Arrival", "at event body")  # `at` in seconds of the wall clock, as the database's.


# The process
# --------------------------------------------------------------------------------------------------------------------


class Visit(asyncio.Protocol):
    """A connection of one that sends whole requests, one after another."""

    def __init__(self, ledger):
        self.ledger = ledger
        self.rest = b""
        self.transport = None

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.rest += data
        while (end := self.rest.find(HEADERS_END)) >= 0:
            head = self.rest[:end].lower()
            body_at = end + len(HEADERS_END)
            next_at = body_at + int(header(head, b"content-length"))
            if len(self.rest) < next_at:
                return
            self.note(header(head, b"webhook-id"), self.rest[body_at:next_at])
            self.rest = self.rest[next_at:]
            self.transport.write(ANSWER)

    def note(self, event, body):
        self.ledger.write(b"%.6f\t%b\t%b\n" % (time.time(), event, body))


def header(head, name):
    begin = head.index(b"\r\n" + name + b":") + len(name) + 3
    end = head.find(b"\r\n", begin)
    return head[begin:end if end >= 0 else None].strip()


async def serve(path):
    with open(path, "ab", buffering=0) as ledger:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Visit(ledger), "127.0.0.1", 0, backlog=1024)
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", flush=True)
        await loop.run_in_executor(None, sys.stdin.read)


# Those who use it
# --------------------------------------------------------------------------------------------------------------------


class Inbox:
    def __init__(self, folder):
        self.path = os.path.join(folder, "ledger")
        self.process = subprocess.Popen([sys.executable, "-B", os.path.abspath(__file__), self.path],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.read_to = 0
        self.arrivals = []
        self.events = set()

    def look(self):
        """What has arrived up to now, in order; repetitions are there as often as they came."""
        with open(self.path, "rb") as ledger:
            ledger.seek(self.read_to)
            text = ledger.read()
        whole = text[:text.rfind(b"\n") + 1]
        self.read_to += len(whole)
        for line in whole.decode().splitlines():
            at, event, body = line.split("\t", 2)
            self.arrivals.append(Arrival(float(at), event, body))
            self.events.add(event)
        return self.arrivals

    def first_arrivals(self):
        """Without repetitions: a dict from event to arrival, in order of arrival."""
        first = {}
        for arrival in self.look():
            first.setdefault(arrival.event, arrival)
        return first

    def has(self, events):
        self.look()
        return events <= self.events

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(ENDED_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that has started it.
    asyncio.run(serve(sys.argv[1]))
