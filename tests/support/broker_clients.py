#!/usr/bin/env python3
"""broker_clients.py KIND URL PLACE: prints what a broker has stored, as a client that others wrote reads it.

KIND is kafka (confluent-kafka, with a librdkafka of its own), nats (nats-py), amqp (pika) or redis (redis-py). PLACE is
a topic, a stream or a queue. One JSON object a line: `headers`, `key` where there is one, and the content's SHA-256 as
`digest`. Of a queue of AMQP it is taken out. As a module: make_place(kind, url, place), read(kind, url, place).

The clients come from PyPI, once, into ~/.cache/makegood; without the network there are none.
"""

import argparse
import asyncio
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys

from postgres_server import CannotRun

CLIENTS = ("confluent-kafka==2.16.1", "nats-py==2.16.0", "pika==1.4.4", "redis==8.1.0")
PATIENCE = 30
REMEMBERED_SECONDS = 24 * 3600


def bring_along():
    """Puts the clients where `import` finds them."""
    place = f"clients-python{sys.version_info.major}.{sys.version_info.minor}-1"
    folder = os.path.join(os.path.expanduser("~"), ".cache", "makegood", place)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(folder + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Tests that start together install once.
        if not os.path.exists(os.path.join(folder, "complete")):
            fetch(folder)
    if folder not in sys.path:
        sys.path.append(folder)


def fetch(folder):
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", folder, *CLIENTS],
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise CannotRun(f"the clients of the brokers cannot be had: {done.stderr[-500:]}")
    with open(os.path.join(folder, "complete"), "w", encoding="utf-8"):
        pass


def record(headers, content, key=None):
    return {"headers": headers, "key": key, "digest": hashlib.sha256(content).hexdigest()}


def texts(pairs):
    return {text(name): text(value) for name, value in pairs}


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def address_in(url):
    return url.split("://")[1]


class Kafka:
    def __init__(self, url):
        import confluent_kafka
        from confluent_kafka import admin
        self.kafka, self.admin = confluent_kafka, admin
        self.settings = {"bootstrap.servers": address_in(url), "log_level": 3}

    def make(self, place):
        client = self.admin.AdminClient(self.settings)  # It has to live until it has answered.
        client.create_topics([self.admin.NewTopic(place, 3, 1)])[place].result(PATIENCE)

    def read(self, place):
        consumer = self.kafka.Consumer({**self.settings, "group.id": "reader", "enable.auto.commit": False})
        partitions = [self.kafka.TopicPartition(place, number, 0)
                      for number in consumer.list_topics(place, PATIENCE).topics[place].partitions]
        left = sum(consumer.get_watermark_offsets(each, PATIENCE)[1] for each in partitions)
        consumer.assign(partitions)
        while left > 0:
            message = consumer.poll(PATIENCE)
            if message is None or message.error():
                raise RuntimeError(f"Kafka lacks {left} records: {message and message.error()}")
            left -= 1
            yield record(texts(message.headers() or []), message.value() or b"", text(message.key()))
        consumer.close()


class Nats:
    """Its stream has the place's name, and takes the subject that begins so."""
    def __init__(self, url):
        self.url = url

    def make(self, place):
        async def work(context):
            await context.add_stream(name=place, subjects=[f"{place}.>"], storage="file",
                                     duplicate_window=REMEMBERED_SECONDS)
        self.talk(work)

    def read(self, place):
        records = []

        async def work(context):
            left = (await context.stream_info(place)).state.messages
            reader = await context.subscribe(f"{place}.>", stream=place, ordered_consumer=True)
            for _ in range(left):
                message = await reader.next_msg(PATIENCE)
                records.append(record(dict(message.headers or {}), message.data))
        self.talk(work)
        return records

    def talk(self, work):
        import nats

        async def conversation():
            connection = await nats.connect(self.url)
            await work(connection.jetstream(timeout=PATIENCE))
            await connection.close()
        asyncio.run(conversation())


class Amqp:
    def __init__(self, url):
        import pika
        host, port = address_in(url).split(":")
        self.connection = pika.BlockingConnection(pika.ConnectionParameters(host, int(port)))
        self.channel = self.connection.channel()

    def make(self, place):
        self.channel.queue_declare(place, durable=True)

    def make_for_one_reader(self, place):
        self.channel.queue_declare(place, durable=True, arguments={"x-single-active-consumer": True})

    def read(self, place):
        while True:
            method, properties, content = self.channel.basic_get(place, auto_ack=True)
            if method is None:
                return
            yield record(texts((properties.headers or {}).items()), content)


class Redis:
    PAGE = 1000

    def __init__(self, url):
        import redis
        self.client = redis.Redis.from_url(url)

    def make(self, place):
        """A stream is there as soon as it has an entry."""

    def read(self, place):
        after = "-"
        while entries := self.client.xrange(place, after, count=self.PAGE):
            for number, fields in entries:
                after = "(" + text(number)
                content = fields.pop(b"data")
                yield record(texts(fields.items()), content)


KINDS = {"kafka": Kafka, "nats": Nats, "amqp": Amqp, "redis": Redis}


def make_place(kind, url, place):
    bring_along()
    KINDS[kind](url).make(place)


def read(kind, url, place):
    bring_along()
    yield from KINDS[kind](url).read(place)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("url")
    parser.add_argument("place")
    told = parser.parse_args()
    for each in read(told.kind, told.url, told.place):
        print(json.dumps(each))


if __name__ == "__main__":
    try:
        main()
    except CannotRun as reason:
        sys.exit(str(reason))
