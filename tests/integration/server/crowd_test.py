"""Thousands who do nothing and hundreds who are slow: the others do not notice."""

import resource
import selectors
import socket
import time
import unittest

from daemon import DaemonCase

IDLE_COUNT = 5000
SLOW_COUNT = 500


def raise_limit(wanted):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed


def memory_mib(daemon):
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


class Crowd(DaemonCase):
    def connect(self, daemon, count):
        host, _, port = daemon.address.rpartition(":")
        sockets = [socket.create_connection((host, int(port)), 20) for _ in range(count)]
        for each in sockets:
            self.addCleanup(each.close)
        return sockets

    def enqueue_times(self, daemon, count=20):
        times = []
        for _ in range(count):
            began = time.monotonic()
            self.assertEqual(daemon.enqueue().status, 201)
            times.append(time.monotonic() - began)
        return sorted(times)

    def test_of_idle_connections_costs_little(self):
        if raise_limit(2 * IDLE_COUNT + 1000) < IDLE_COUNT + 1000:
            self.skipTest(f"the hard limit of open files is below {IDLE_COUNT + 1000}; raise it (ulimit -Hn)")
        daemon = self.start_ready()
        before = memory_mib(daemon)
        self.connect(daemon, IDLE_COUNT)
        self.await_(lambda: f"tx_http_connections {IDLE_COUNT + 1}\n" in daemon.ask("GET", "/metrics").body.decode(),
                    "all of them are there")
        times = self.enqueue_times(daemon)
        after = memory_mib(daemon)
        middle, worst = times[len(times) // 2] * 1000, times[-1] * 1000
        print(f"{IDLE_COUNT} idle connections: {after - before:.1f} MiB more; enqueue {middle:.1f} ms in the middle, "
              f"{worst:.1f} ms at most", flush=True)
        self.assertLess(times[-1], 5)

    def test_of_slow_senders_loses_its_own_connections_only(self):
        raise_limit(SLOW_COUNT + 1000)
        daemon = self.start_ready("--set", "server.header_timeout_ms=3s")
        slow = self.connect(daemon, SLOW_COUNT)
        for each in slow:
            each.sendall(b"POST /api/outboxes/makegood_outbox/messages HTTP/1.1\r\nHost: localhost\r\n")
            each.setblocking(False)
        end = time.monotonic() + 6
        gone, worst = set(), 0.0
        while time.monotonic() < end:
            for each in slow:
                try:
                    each.send(b"A: b\r\n")  # Now and then a line: it must not extend the time.
                except (BrokenPipeError, ConnectionResetError, BlockingIOError):
                    gone.add(each)
            worst = max(worst, self.enqueue_times(daemon, 3)[-1])
        with selectors.DefaultSelector() as selector:
            for each in slow:
                selector.register(each, selectors.EVENT_READ)
            told = {key.fileobj for key, _ in selector.select(5)}
        print(f"{SLOW_COUNT} slow senders: {len(told | gone)} ended, enqueue {worst * 1000:.1f} ms at most", flush=True)
        self.assertEqual(len(told | gone), SLOW_COUNT)
        self.assertLess(worst, 5)

    def test_beyond_the_limit_is_refused(self):
        daemon = self.start_ready("--set", "server.connections_max=3")
        held = self.connect(daemon, 3)
        self.await_(lambda: self.is_refused(daemon), "the newest is refused")
        held[0].close()
        self.await_(lambda: daemon.ask("GET", "/healthz").status == 200, "a place is free again")

    def is_refused(self, daemon):
        host, _, port = daemon.address.rpartition(":")
        with socket.create_connection((host, int(port)), 20) as newest:
            newest.settimeout(5)
            try:
                return newest.recv(100).startswith(b"HTTP/1.1 503")
            except ConnectionResetError:
                return True


if __name__ == "__main__":
    unittest.main()
