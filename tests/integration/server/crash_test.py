"""What was answered with 201 is delivered, whatever happens to the process; and streams tell of it."""

import json
import signal
import socket
import threading
import unittest

from daemon import DaemonCase


class Killed(DaemonCase):
    def test_loses_nothing_that_it_had_answered(self):
        receiver = self.receiver()
        daemon = self.start_ready()
        self.route_to(daemon, receiver)
        acknowledged, lock = set(), threading.Lock()

        def produce(name):
            for number in range(200):
                event_id = f"00000000-0000-7000-8000-{name:04d}{number:08d}"
                try:
                    if daemon.enqueue(event_id=event_id).status == 201:
                        with lock:
                            acknowledged.add(event_id)
                except OSError:
                    return

        for life in range(3):
            producers = [threading.Thread(target=produce, args=(life * 10 + i,)) for i in range(4)]
            for producer in producers:
                producer.start()
            wanted = len(acknowledged) + 40
            self.await_(lambda: len(acknowledged) >= wanted, "some are enqueued")
            daemon.end(signal.SIGKILL)
            for producer in producers:
                producer.join()
            daemon = self.start_ready()
        self.assertGreater(len(acknowledged), 100)
        self.await_(lambda: acknowledged <= {event for event, _ in list(receiver.bodies)}, "all of them arrive")


class Suspects(DaemonCase):
    """What was under way at several deaths is sent alone; others wait for it for a second, and not for as long as its
    endpoint takes."""
    ENDPOINT_SECONDS = 60
    FEW_SECONDS = 15  # Two would do; less than the endpoint takes, and much for a busy machine.

    def hanging(self):
        """A receiver that answers nothing before the end, and the requests that have come."""
        receiver, go, asked = self.receiver(), threading.Event(), []
        self.addCleanup(go.set)

        def answer(body):
            asked.append(body)
            go.wait(self.ENDPOINT_SECONDS)
            return 200

        receiver.answer = answer
        return receiver, asked

    def allow(self, *receivers):
        """Tenants may reach them, although they are on this machine."""
        ports = [int(receiver.url.rsplit(":")[-1].strip("/")) for receiver in receivers]
        self.write("makegood.yaml", json.dumps({"http": {
            "tenant_networks": ["127.0.0.0/8"], "tenant_ports": [443, *ports]}}))

    def lead(self, daemon, destination, receiver, tenant):
        base = "/api/outboxes/makegood_outbox"
        self.settle(daemon, daemon.ask("PUT", f"{base}/destinations/{destination}",
                                       {"tenant_id": tenant, "timeout_ms": self.ENDPOINT_SECONDS * 1000,
                                        "http": {"url": receiver.url}}))

    def test_do_not_hold_up_a_healthy_destination_of_another_tenant(self):
        hanging, asked = self.hanging()
        healthy = self.receiver()
        self.allow(hanging, healthy)
        daemon = self.start_ready()
        self.lead(daemon, "http:hanging", hanging, "acme")
        self.lead(daemon, "http:healthy", healthy, "globex")
        self.settle(daemon, daemon.ask("PUT", "/api/outboxes/makegood_outbox/routes", {"routes": [
            {"pattern": "order.*", "destination": name} for name in ("http:hanging", "http:healthy")]}))
        for _ in range(3):
            self.assertEqual(daemon.enqueue(tenant_id="acme").status, 201)
        for _ in range(4):
            before = len(asked)
            self.await_(lambda: len(asked) > before, "something is under way")
            daemon.end(signal.SIGKILL)
            daemon = self.start_ready()
        before = len(asked)
        self.await_(lambda: len(asked) > before, "a suspect is under way")
        self.assertEqual(daemon.enqueue(tenant_id="globex").status, 201)
        self.await_(lambda: healthy.bodies, "the other tenant's message arrives", self.FEW_SECONDS)


class Streams(DaemonCase):
    def listen(self, daemon, query):
        host, _, port = daemon.address.rpartition(":")
        stream = socket.create_connection((host, int(port)), 20)
        self.addCleanup(stream.close)
        stream.sendall(f"GET /api/events{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        lines = stream.makefile("r", encoding="utf-8", newline="\n")
        while lines.readline().strip():
            pass
        return lines

    def test_tell_of_deliveries_as_they_happen(self):
        daemon, receiver = self.start_ready(), self.receiver()
        self.route_to(daemon, receiver)
        lines = self.listen(daemon, "?kind=delivered&topic=order.*&tenant=acme")
        daemon.enqueue(tenant_id="other")
        daemon.enqueue(tenant_id="acme", event_id="00000000-0000-7000-8000-000000000001")
        self.assertEqual(lines.readline(), "event: delivered\n")
        event = json.loads(lines.readline().removeprefix("data: "))
        self.assertEqual(event["event_id"], "00000000-0000-7000-8000-000000000001")
        self.assertEqual(event["destination"], "http:billing")
        self.assertNotIn("payload", event)

    def test_end_with_the_process(self):
        daemon = self.start_ready()
        lines = self.listen(daemon, "?kind=delivered")
        code, seconds = daemon.end()
        self.assertEqual(code, 0)
        self.assertLess(seconds, 10)
        self.assertEqual(lines.read(), "")


if __name__ == "__main__":
    unittest.main()
