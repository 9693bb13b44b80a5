"""The run itself: who is started, who is killed when, and how it comes to rest."""

import json
import os
import random
import signal
import subprocess
import sys
import time

from callers import OUTBOX, Callers
from daemon import Daemon
from ledger import now
from transfers import LEASE, TransferLoad

HERE = os.path.dirname(os.path.abspath(__file__))
PRODUCERS = 3
TRANSFERS_SHARE = 0.1  # For each message so many sagas.
KILLED_SHARE = 0.67  # Of the time; then the daemon lives, and its memory is judged.
KILL_EVERY = 4.0  # Seconds, on average.
# Of the blows, who else is hit: the daemon is frozen instead of killed; a bank is killed; the database's server is; the
# broker is.
FREEZE_SHARE, BANK_SHARE, SERVER_SHARE, BROKER_SHARE = 0.15, 0.25, 0.1, 0.15
FREEZE_SECONDS = (0.5, 3.0)
SERVER_AWAY_SECONDS = (0.0, 2.0)
DRAINED_WITHIN = 120
TICK = 0.25
SHOWN_EVERY = 5.0
MEASURED_EVERY = 1.0  # What the tables take.


def child(name, *arguments):
    return subprocess.Popen([sys.executable, os.path.join(HERE, name), *map(str, arguments)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)


def dismiss(process):
    """Its closed input tells it to end."""
    process.stdin.close()
    code = process.wait(60)
    process.stdout.close()
    return code


class Soak:
    def __init__(self, program, store, broker, folder, seed, rate, seconds, show):
        self.folder, self.seed, self.rate, self.seconds, self.show = folder, seed, rate, seconds, show
        self.chance = random.Random(f"{seed} fate")
        self.program = program
        self.store = store
        self.broker = broker
        self.daemon = Daemon(program, store, folder, *LEASE)
        self.callers = Callers(self.daemon, folder, seed)
        self.transfers = TransferLoad(self.daemon, store, folder, seed, rate * TRANSFERS_SHARE)
        self.server_kills = 0
        self.kills = []
        self.memory = []  # (seconds, MiB) of the last life.
        self.tables = []  # (seconds, sizes) of the whole run.
        self.problems = []
        self.stop_seconds = None
        self.producers = []
        self.receiver = None
        self.calm_from = None

    def run(self):
        self.prepare()
        began, self.next_blow, shown = now(), now() + 2, 0.0
        while now() - began < self.seconds:
            time.sleep(TICK)
            self.tick(now() - began < self.seconds * KILLED_SHARE)
            if now() - shown > SHOWN_EVERY:
                shown = now()
                self.show(min(1.0, (now() - began) / self.seconds), self.progress())
        self.come_to_rest()

    def prepare(self):
        migrate = [self.program, "migrate", "--saga-log", "makegood_saga", "--store", self.store.url]
        subprocess.run(migrate, check=True, timeout=60, capture_output=True)
        self.store.prepare()
        self.broker.prepare()
        self.receiver = child("receiver.py", self.path("receipts.jsonl"), self.seed)
        self.daemon.start()
        self.register(json.loads(self.receiver.stdout.readline()))
        self.producers = [child("producer.py", f"p{i}", self.store.url, self.path(f"p{i}.jsonl"), self.seed,
                                self.rate / PRODUCERS) for i in range(PRODUCERS)]
        self.callers.start()
        self.transfers.prepare()

    def path(self, name):
        return os.path.join(self.folder, name)

    def register(self, urls):
        """Short times, so that a run sees much; enough attempts that only a refusal can end in a dead letter."""
        destinations = [{"name": f"http:{to}", "timeout_ms": 2000, "http": {"url": url},
                         "retry": {"attempts_max": 1000, "base_ms": 50, "cap_ms": 1000},
                         "circuit": {"failures_max": 10, "wait_min_ms": 200, "wait_max_ms": 1000}}
                        for to, url in urls.items()]
        of_broker, to_broker = self.broker.destinations()
        destinations += of_broker
        routes = [*to_broker,
                  {"pattern": "soak.order.*", "destination": "http:steady"},
                  {"pattern": "soak.order.*", "destination": "http:faulty"},
                  {"pattern": "soak.refund.*", "destination": "http:faulty"},
                  {"pattern": "soak.rest.*", "destination": "http:steady"}]
        status, answer = self.daemon.call("POST", f"{OUTBOX}/apply", {"destinations": destinations, "routes": routes,
                                                                      "reason": "the soak begins"})
        if status != 200:
            raise RuntimeError(f"destinations and routes were answered with {status}: {answer}")

    def tick(self, may_strike):
        if not self.daemon.is_alive():
            self.problems.append(f"the daemon ended by itself, with {self.daemon.process.returncode}:\n"
                                 f"{self.daemon.last_words()}")
            self.kills.append(now())
            self.daemon.start()
        size = self.daemon.memory_mib()
        self.measure_tables()
        if not may_strike:
            self.calm_from = self.calm_from or now()
            self.memory.append((now(), size))
        elif now() >= self.next_blow:
            self.strike()
            self.next_blow = now() + min(2 * KILL_EVERY, self.chance.expovariate(1 / KILL_EVERY))

    def measure_tables(self):
        if not self.tables or now() - self.tables[-1][0] >= MEASURED_EVERY:
            if sizes := self.store.sizes():
                self.tables.append((now(), sizes))

    def strike(self):
        whom = self.chance.random()
        if not self.kills:  # A short run sees these two.
            self.kill_the_daemon()
        elif not self.transfers.bank_kills:
            self.transfers.kill_a_bank()
        elif self.has_broker() and not self.broker.kills:
            self.kill_the_broker()
        elif whom < FREEZE_SHARE:
            self.daemon.freeze(self.chance.uniform(*FREEZE_SECONDS))
        elif whom < FREEZE_SHARE + BANK_SHARE:
            self.transfers.kill_a_bank()
        elif whom < FREEZE_SHARE + BANK_SHARE + SERVER_SHARE and self.store.can_crash:
            self.kill_the_server()
        elif self.has_broker() and whom > 1 - BROKER_SHARE:
            self.kill_the_broker()
        else:
            self.kill_the_daemon()

    def kill_the_server(self):
        """To messages it is as if the daemon had died: what was answered meanwhile is not written down."""
        self.kills.append(now())
        self.server_kills += 1
        self.store.crash(self.chance.uniform(*SERVER_AWAY_SECONDS))
        self.kills.append(now())

    def has_broker(self):
        return self.broker.kind != "none"

    def kill_the_broker(self):
        self.broker.kill(self.chance.uniform(*SERVER_AWAY_SECONDS))

    def kill_the_daemon(self):
        self.daemon.kill()
        self.kills.append(now())
        self.daemon.start()

    def progress(self):
        pending = "?"
        try:
            status, answer = self.daemon.call("GET", "/api/outboxes", timeout=2)
            if status == 200:
                pending = answer["items"][0]["pending_count"]
        except OSError:
            pass
        return (f"{len(self.kills)} kills, {len(self.daemon.freezes)} freezes, {pending} pending, "
                f"{self.daemon.memory_mib():.0f} MiB")

    def come_to_rest(self):
        """No more load and no more faults; what was refused is asked for once more; then everything must end."""
        for producer in self.producers:
            if dismiss(producer) != 0:
                self.problems.append("a producer ended with an error")
        self.producers = []
        self.callers.stop()
        self.transfers.calm_down(signal.SIGUSR1)
        self.receiver.send_signal(signal.SIGUSR1)
        self.transfers.come_to_rest(self.show)
        self.await_drained()
        self.replay_the_dead()
        self.await_drained()
        code, self.stop_seconds = self.daemon.stop()
        if code != 0:
            self.problems.append(f"the daemon stopped with {code}:\n{self.daemon.last_words()}")

    def replay_the_dead(self):
        self.callers.replays.append((now(), ""))
        status, answer = self.daemon.call("POST", f"{OUTBOX}/dead/replay",
                                          {"filter": {}, "reason": "the end of the soak"}, timeout=30)
        if status != 202:
            self.problems.append(f"the replay of all dead letters was answered with {status}: {answer}")
            return
        until = now() + DRAINED_WITHIN
        while now() < until:
            state = self.daemon.call("GET", f"/api/jobs/{answer['job']}")[1]["state"]
            if state == "done":
                return
            if state != "running":
                break
            time.sleep(TICK)
        self.problems.append(f"the job that replays all dead letters is {state}")

    def unfinished(self):
        """The view knows states by message; what side lanes still carry is pending there."""
        return self.store.query(
            "SELECT count(*) FROM makegood_outbox_status WHERE state IN ('pending', 'leased')")[0][0]

    def await_drained(self):
        until = now() + DRAINED_WITHIN
        while now() < until and self.daemon.is_alive() and self.unfinished():
            self.show(1.0, f"draining: {self.unfinished()} unfinished")
            time.sleep(1)

    def end(self):
        """Nothing stays behind, whatever has happened."""
        self.transfers.end()
        self.broker.end()
        for process in [*self.producers, self.receiver, self.daemon.process]:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
