"""What travels around a message: its envelope's id, and the trace of the call that enqueued it."""

import unittest

from daemon import MESSAGES, DaemonCase

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class Envelope(DaemonCase):
    def test_and_trace_of_the_call_reach_the_receiver(self):
        daemon = self.start_ready()
        receiver = self.receiver()
        self.route_to(daemon, receiver)
        body = {"topic": "order.placed", "payload": 1, "envelope_id": "env-7"}
        self.assertEqual(daemon.ask("POST", MESSAGES, body, traceparent=TRACE, tracestate="shop=1").status, 201)
        self.await_(lambda: receiver.headers, "it arrives")
        headers = receiver.headers[0]
        self.assertEqual(headers["makegood-envelope-id"], "env-7")
        self.assertEqual((headers["traceparent"], headers["tracestate"]), (TRACE, "shop=1"))


if __name__ == "__main__":
    unittest.main()
