"""REST traffic beside the load: lists, figures, dead letters that are replayed, messages enqueued over HTTP."""

import collections
import hashlib
import json
import random
import threading
import urllib.parse

from ledger import Ledger, now

OUTBOX = "/api/outboxes/makegood_outbox"
READS = ["/api/status", "/api/outboxes", OUTBOX, f"{OUTBOX}/messages?limit=50",
         f"{OUTBOX}/messages?state=dead&limit=20", f"{OUTBOX}/blocked", f"{OUTBOX}/sides", f"{OUTBOX}/destinations",
         f"{OUTBOX}/routes", f"{OUTBOX}/requests", f"{OUTBOX}/dead/groups", f"{OUTBOX}/messages/1", "/metrics",
         "/api/openapi.yaml", "/healthz"]
PAUSE_SECONDS = 0.05


class Callers:
    def __init__(self, daemon, folder, seed):
        self.daemon = daemon
        self.ledger = Ledger(f"{folder}/rest.jsonl")
        self.seed = seed
        self.replays = []
        self.statuses = collections.Counter()
        self.surprises = []
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.read, self.replay, self.enqueue)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.ended.set()
        for thread in self.threads:
            thread.join(30)

    def call(self, method, path, body=None):
        """None: nobody answered, which is no surprise while the daemon is being killed."""
        try:
            status, answer = self.daemon.call(method, path, body)
        except OSError:
            self.statuses["none"] += 1
            return None, None
        self.statuses[status] += 1
        if status >= 500 and status != 503:
            self.surprises.append(f"{method} {path} was answered with {status}: {str(answer)[:300]}")
        return status, answer

    def read(self):
        chance = random.Random(f"{self.seed} reader")
        while not self.ended.wait(PAUSE_SECONDS):
            self.call("GET", chance.choice(READS))

    def replay(self):
        """Now and then one dead letter, whichever comes up."""
        chance = random.Random(f"{self.seed} operator")
        while not self.ended.wait(chance.uniform(0.5, 2)):
            status, answer = self.call("GET", f"{OUTBOX}/dead?state=dead&limit=50")
            if status == 200 and answer["items"]:
                self.replay_one(chance.choice(answer["items"]))

    def replay_one(self, letter):
        destination = urllib.parse.quote(letter["destination"], safe="")
        self.replays.append((now(), letter["event_id"]))
        self.call("POST", f"{OUTBOX}/dead/{letter['sequence']}/{destination}/replay", {"reason": "the soak asks"})

    def enqueue(self):
        """The same event again and again until somebody says that it is committed."""
        chance = random.Random(f"{self.seed} remote producer")
        count = 0
        while not self.ended.wait(chance.expovariate(5)):
            count += 1
            payload = json.dumps({"event": f"rest-{count}", "filler": "y" * chance.randrange(300)})
            self.enqueue_until_committed(f"rest-{count}", count, payload)

    def enqueue_until_committed(self, event, index, payload):
        message = {"topic": "soak.rest.v1", "event_id": event, "dispatch_key": "rest", "payload_text": payload}
        told = {"event": event, "key": "rest", "index": index, "topic": "soak.rest.v1",
                "digest": hashlib.sha256(payload.encode()).hexdigest()}
        while True:
            status, answer = self.call("POST", f"{OUTBOX}/messages", message)
            if status == 201:
                self.ledger.write(**told, outcome="committed", at=now())
                return
            if status is not None and status != 503:
                self.surprises.append(f"enqueue of {event} was answered with {status}: {str(answer)[:300]}")
            if self.ended.wait(0.1):
                self.ledger.write(**told, outcome="unknown", at=now())
                return
