#!/usr/bin/env python3
"""PgQ: RUNNER load URL JOBS SETTING | RUNNER drain URL JOBS SETTING SECONDS

`best` reads whole batches in a loop of its own, ticked after every 5000 events; `default` is the consumer of
python3-pgq as it comes, with pgqd as its ticker."""

import base64
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import psycopg2

QUEUE, CONSUMER = "nothing", "bench"
BATCH = 5000


class Tally:
    """Which jobs have run, and how often all of them together."""

    def __init__(self, jobs):
        self.seen = bytearray(jobs)
        self.runs = self.distinct = 0

    def ran(self, payload):
        i = json.loads(payload)["i"]
        self.runs += 1
        self.distinct += not self.seen[i]
        self.seen[i] = 1

    def is_complete(self):
        return self.distinct == len(self.seen)

    def print(self, began):
        print(json.dumps({"seconds": time.monotonic() - began, "runs": self.runs, "distinct": self.distinct}))


def load(url, jobs, setting):
    filler = base64.b64encode(os.urandom(144)).decode()  # So that a payload has about 256 bytes.
    with psycopg2.connect(url) as database, database.cursor() as cursor:
        cursor.execute("CREATE EXTENSION pgq")
        cursor.execute("SELECT pgq.create_queue(%s)", [QUEUE])
        cursor.execute("SELECT pgq.register_consumer(%s, %s)", [QUEUE, CONSUMER])
        for begin in range(0, jobs, BATCH):
            payloads = [json.dumps({"i": i, "kind": "bench", "tenant": "t0", "filler": filler})
                        for i in range(begin, min(begin + BATCH, jobs))]
            cursor.execute("SELECT pgq.insert_event(%s, 'job', payload) FROM unnest(%s) payload", [QUEUE, payloads])
            database.commit()
            if setting == "best":
                cursor.execute("SELECT pgq.force_tick(%s)", [QUEUE])
                cursor.execute("SELECT pgq.ticker(%s)", [QUEUE])
                database.commit()


def drain_batches(url, tally, seconds):
    began = time.monotonic()
    database = psycopg2.connect(url)
    with database.cursor() as cursor:
        while not tally.is_complete() and time.monotonic() < began + seconds:
            cursor.execute("SELECT pgq.next_batch(%s, %s)", [QUEUE, CONSUMER])
            batch = cursor.fetchone()[0]
            if batch is None:
                database.commit()
                continue
            cursor.execute("SELECT ev_id, ev_data FROM pgq.get_batch_events(%s)", [batch])
            for _, payload in cursor.fetchall():
                tally.ran(payload)
            cursor.execute("SELECT pgq.finish_batch(%s)", [batch])
            database.commit()
    tally.print(began)


def drain_as_it_comes(url, tally, seconds):
    import pgq  # Debian's python3-pgq; only here.

    class Nothing(pgq.Consumer):
        def process_event(self, db, event):
            tally.ran(event.ev_data)
            event.tag_done()

        def process_batch(self, db, batch_id, event_list):
            super().process_batch(db, batch_id, event_list)
            if tally.is_complete():
                self.stop()

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "consumer.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"[{CONSUMER}]\njob_name = {CONSUMER}\ndb = {url}\nqueue_name = {QUEUE}\n")
        ticker = start_ticker(folder, url)
        try:
            script = Nothing(CONSUMER, "db", ["--quiet", path])
            timer = threading.Timer(seconds, os.kill, [os.getpid(), signal.SIGINT])  # Its own way to be stopped.
            timer.start()
            began = time.monotonic()
            script.start()
            timer.cancel()
            tally.print(began)
        finally:
            ticker.terminate()
            ticker.wait()


def start_ticker(folder, url):
    path = os.path.join(folder, "pgqd.ini")
    at = urllib.parse.urlsplit(url)
    database = at.path.lstrip("/")
    with open(path, "w", encoding="utf-8") as file:
        file.write("[pgqd]\n"
                   f"base_connstr = host={at.hostname} port={at.port} user={at.username} password={at.password}\n"
                   f"initial_database = {database}\ndatabase_list = {database}\n")
    return subprocess.Popen(["pgqd", "-q", path], stdin=subprocess.DEVNULL)


def main(verb, url, jobs, setting, seconds="0"):
    if verb == "load":
        load(url, int(jobs), setting)
    elif setting == "best":
        drain_batches(url, Tally(int(jobs)), float(seconds))
    else:
        drain_as_it_comes(url, Tally(int(jobs)), float(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
