#!/usr/bin/env python3
"""Receives messages from Makegood: verifies them, does the work once, and answers. Standard library only.

    WEBHOOK_KEYS="whsec_…" python3 receiver.py --port 8080 --database shop.db

Several keys, separated by spaces, are for rotation: any of them is accepted.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import sqlite3
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 5 * 60
BODY_BYTES_MAX = 1 << 20
AT_ONCE_MAX = 32


class Refused(Exception):
    """Never valid, however often it is sent: answered with a 4xx, and then it is a dead letter at the sender."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def verify(keys, headers, body, now):
    """Raises Refused unless one of the keys has signed exactly these bytes, just now."""
    event_id, sent_at = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    if not event_id or not sent_at.isdecimal():
        raise Refused(401, "no webhook-id or webhook-timestamp")
    if abs(now - int(sent_at)) > TOLERANCE_SECONDS:
        raise Refused(401, "signed too long ago; is the clock right?")
    signed = f"{event_id}.{sent_at}.".encode() + body
    expected = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    for signature in headers.get("webhook-signature", "").split(" "):
        version, _, value = signature.partition(",")
        # compare_digest takes the same time wherever the first difference is; "==" would tell.
        if version == "v1" and any(hmac.compare_digest(value.encode(), good) for good in expected):
            return event_id
    raise Refused(401, "no signature of a key that is known here")


def read_event(headers, body):
    """The event's attributes and its data, from either mode of CloudEvents."""
    if headers.get("content-type", "").startswith("application/cloudevents+json"):
        event = checked(json.loads(body))
        data = base64.b64decode(event["data_base64"]) if "data_base64" in event else event.get("data")
        return event, data
    event = {name[3:].lower(): urllib.parse.unquote(value) for name, value in headers.items()
             if name.lower().startswith("ce-")}
    is_json = headers.get("content-type", "").split(";")[0].endswith("json")
    return checked(event), json.loads(body) if is_json else body


def checked(event):
    """It may be any JSON: what is no event is refused here, not stumbled over later."""
    is_event = isinstance(event, dict) and isinstance(event.get("data_base64", ""), str)
    if not is_event or not all(isinstance(event.get(name), str) for name in ("source", "type")):
        raise Refused(422, "no event with a source and a type")
    return event


def do_the_work(transaction, event, data):
    """What your service does with it. All of it in this transaction, or it is not done once."""
    transaction.execute("INSERT INTO orders (topic, data) VALUES (?, ?)",
                        (event["type"], data if isinstance(data, bytes) else json.dumps(data)))


class Inbox:
    """Remembers which events have been handled, in the transaction that handles them."""

    def __init__(self, path):
        self.path = path
        database = self.open()
        database.executescript("""
            PRAGMA journal_mode = WAL;
            CREATE TABLE IF NOT EXISTS inbox (source TEXT, id TEXT, received_at TEXT DEFAULT CURRENT_TIMESTAMP,
                                              PRIMARY KEY (source, id));
            CREATE TABLE IF NOT EXISTS orders (topic TEXT, data);""")
        database.close()

    def open(self):
        return sqlite3.connect(self.path, timeout=2, isolation_level=None)

    def handle(self, event_id, event, data):
        database = self.open()
        try:
            database.execute("BEGIN IMMEDIATE")
            # An id is unique within its source: the outbox and the tenant that it comes from.
            is_new = database.execute("INSERT INTO inbox (source, id) VALUES (?, ?) ON CONFLICT DO NOTHING",
                                      (event["source"], event_id)).rowcount == 1
            if is_new:
                do_the_work(database, event, data)
            database.execute("COMMIT")
        finally:
            database.close()  # What was not committed is rolled back.


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Keeps connections open; without it each message pays for a new one.
    timeout = 60

    def do_POST(self):
        server = self.server
        try:
            body = self.read_body()
            if server.is_unsubscribed:
                return self.answer(410)  # We want nothing any more: the sender disables us.
            if not server.places.acquire(blocking=False):
                return self.answer(429, {"Retry-After": "1"})  # Too much at once: try again, no sooner than this.
            try:
                event_id = verify(server.keys, self.headers, body, time.time())
                server.inbox.handle(event_id, *read_event(self.headers, body))
            finally:
                server.places.release()
            self.answer(204)  # Done, now or before: a duplicate is a success.
        except Refused as refused:
            self.answer(refused.status, reason=str(refused))
        except ValueError:
            self.answer(422, reason="the event cannot be read")
        except sqlite3.OperationalError:
            self.answer(503, {"Retry-After": "5"})  # Our trouble, not the message's: it is sent again.

    def read_body(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > BODY_BYTES_MAX:
            self.close_connection = True  # The body stays unread.
            raise Refused(413, f"at most {BODY_BYTES_MAX} bytes")
        return self.rfile.read(int(length))

    def answer(self, status, headers=None, reason=""):
        text = reason.encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # A sender opens many connections at once; of five that wait, the sixth would be dropped.


def key_from(text):
    if not text.startswith("whsec_"):
        raise SystemExit("a key begins with whsec_")
    return base64.b64decode(text.removeprefix("whsec_"))


def main():
    parser = argparse.ArgumentParser(description="Receives messages from Makegood.")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--database", default="receiver.db")
    parser.add_argument("--unsubscribed", action="store_true", help="answer 410 to everything")
    options = parser.parse_args()

    server = Server(("127.0.0.1", options.port), Receiver)
    server.keys = [key_from(text) for text in os.environ["WEBHOOK_KEYS"].split()]
    server.inbox = Inbox(options.database)
    server.places = threading.BoundedSemaphore(AT_ONCE_MAX)
    server.is_unsubscribed = options.unsubscribed
    print(f"listening on port {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
