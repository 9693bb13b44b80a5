"""readers_test.py KIND: what the pages of the brokers show in five minutes works, and a client that others wrote reads
what arrived: every byte of the content, the key, and every header."""

import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))

import broker_clients  # noqa: E402
from broker_servers import BROKERS  # noqa: E402
from postgres_server import CannotRun, free_port  # noqa: E402

PROGRAM = os.environ["MAKEGOOD_PROGRAM"]
PLACE = "orders"
SKIPPED = 77
WITHIN = 60
FLAGS = {"kafka": ["--topic", PLACE], "nats": ["--subject", PLACE + ".{topic}"], "amqp": ["--routing-key", PLACE],
         "redis": ["--stream", PLACE]}
# By which names a client finds what CloudEvents says; Redis has no binding for it.
EVENT = {"kafka": "ce_", "nats": "ce-", "amqp": "cloudEvents_", "redis": None}
EVERY_BYTE = bytes(range(256)) * 4
MESSAGES = [
    {"topic": "order.paid", "payload": {"id": 1}, "dispatch_key": "order-1", "tenant_id": "shop",
     "headers": {"x-origin": "web", "x-long": "v" * 500}},
    {"topic": "order.paid", "body_base64": base64.b64encode(EVERY_BYTE).decode(), "dispatch_key": "order-2",
     "content_type": "application/octet-stream"},
    {"topic": "order.paid", "payload": {"n": "näher"}, "envelope_id": "e-1"},
    {"topic": "order.paid", "payload": {"big": "x" * 200_000}, "dispatch_key": "order-1", "tenant_id": "shop"},
]


def run(*arguments, text=None):
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=WITHIN,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"makegood {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


def content_of(message):
    if "body_base64" in message:
        return base64.b64decode(message["body_base64"])
    return message["payload_text"].encode()


def enqueue(store):
    """Each with an id that is known here; the payload is kept to the letter."""
    lines = []
    for number, message in enumerate(MESSAGES):
        message["event_id"] = f"event-{number}"
        message["payload_text"] = json.dumps(message.get("payload"), ensure_ascii=False, separators=(",", ":"))
        lines.append(json.dumps({name: value for name, value in message.items() if name != "payload_text"},
                                ensure_ascii=False, separators=(",", ":")))
    run("outbox", "enqueue", "--lines", "-", "--store", store, text="\n".join(lines) + "\n")


def await_delivered(store):
    until = time.monotonic() + WITHIN
    while time.monotonic() < until:
        messages = json.loads(run("outbox", "list", "--json", "--store", store))["items"]
        if all(message["state"] == "done" for message in messages):
            return
        time.sleep(0.1)
    raise AssertionError("not all was delivered in time")


def await_history(store):
    """A replay of what was delivered has ended when its side lane is gone."""
    until = time.monotonic() + WITHIN
    while time.monotonic() < until:
        lanes = run("outbox", "lanes", "--json", "--store", store)
        if "history" not in lanes:
            return
        time.sleep(0.1)
    raise AssertionError("the replay has not ended in time")


def check_replayed(kind, records):
    """What was delivered, and remembered by the broker, arrives once more; of a queue only what is new was read."""
    expected = len(MESSAGES) * (1 if kind == "amqp" else 2)
    assert len(records) == expected, f"{len(records)} messages instead of {expected}"


def check(kind, records):
    by_event = {each["headers"]["event_id"]: each for each in records}
    assert len(by_event) == len(records) == len(MESSAGES), f"{len(records)} messages instead of {len(MESSAGES)}"
    for message in MESSAGES:
        found = by_event[message["event_id"]]
        expected = {"topic": "order.paid", "tenant_id": message.get("tenant_id", "default"), "attempt": "1",
                    "outbox": "makegood_outbox", "content-type": message.get("content_type", "application/json"),
                    **message.get("headers", {})}
        expected |= {name: message[name] for name in ("dispatch_key", "envelope_id") if name in message}
        if EVENT[kind] is not None:
            expected |= {EVENT[kind] + "id": message["event_id"], EVENT[kind] + "type": "order.paid",
                         EVENT[kind] + "specversion": "1.0"}
        if kind == "amqp":
            del expected["content-type"]  # It is a property of the message.
        for name, value in expected.items():
            assert found["headers"].get(name) == value, f"{name} of {message['event_id']}: {found['headers']}"
        assert found["digest"] == hashlib.sha256(content_of(message)).hexdigest(), f"other bytes: {found}"
        if kind == "kafka":
            assert found["key"] == message.get("dispatch_key", message["event_id"]), found["key"]


def deliver(kind, url, folder):
    """Says when there is something to read: all messages, then all of them once more."""
    store = f"sqlite:{folder}/shop.db"
    daemon = subprocess.Popen([PROGRAM, "serve", "--store", store, "--listen", f"127.0.0.1:{free_port()}",
                               "--set", f"server.door_folder={folder}/door"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        run("migrate", "--store", store)
        run("destinations", "add", f"{kind}:orders", "--broker", url, *FLAGS[kind], "--route", "order.*",
            "--store", store)
        enqueue(store)
        await_delivered(store)
        yield
        run("outbox", "history", f"{kind}:orders", "--from", "1", "--until", str(len(MESSAGES)), "--operator", "test",
            "--store", store)
        await_history(store)
        yield
    finally:
        daemon.terminate()
        daemon.wait(WITHIN)


def main(kind):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        broker_clients.bring_along()
        server = BROKERS[kind](os.path.join(folder, "broker"))
        try:
            server.start()
            broker_clients.make_place(kind, server.url(), PLACE)
            chapters = deliver(kind, server.url(), folder)
            for verdict in (check, check_replayed):
                next(chapters)
                verdict(kind, list(broker_clients.read(kind, server.url(), PLACE)))
            for _ in chapters:
                raise AssertionError("a chapter that nobody has read")
        finally:
            server.remove()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except CannotRun as reason:
        print(f"SKIPPED: {reason}")
        sys.exit(SKIPPED)
