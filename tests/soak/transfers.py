"""Sagas beside the messages: transfers between three banks, each a process with a database of its own."""

import collections
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time

import conservation
from daemon import free_port
from ledger import now

HERE = os.path.dirname(os.path.abspath(__file__))
BANKS = ("alpha", "beta", "gamma")
CANCELLED_SHARE = 0.03
ENDED_WITHIN = 180
LEASE = ("--set", "tx.saga.lease_ms=2s")  # Free soon after a kill.


def call(bank, step, cents, may_refuse=False):
    body = {"transfer": "${input.transfer}", "step": step, "cents": cents, "may_refuse": may_refuse}
    return {"action": f"http:{bank}/move", "input": body, "timeout": "2s", "participant": "barrier",
            "retry": {"base": "100ms", "cap": "1s"}}


def step(bank, name, cents, may_refuse=False):
    return {"name": name, **call(bank, name, cents, may_refuse), "compensation_timeout": "2s",
            "compensation": {"action": f"http:{bank}/undo", "input": {"transfer": "${input.transfer}"}}}


DEFINITION = {"deadline": "1h", "steps": [
    step("alpha", "withdraw", "${input.withdrawn}"),
    {"parallel": [step("beta", "deposit", "${input.deposited}"), step("gamma", "fee", conservation.FEE, True)]},
    {"name": "confirm", "pivot": True, **call("alpha", "confirm", 0)},
    {"name": "notify", **call("beta", "notify", 0)},
]}


def input_of(transfer, cents):
    return {"transfer": transfer, "withdrawn": -cents, "deposited": cents - conservation.FEE}


class BankProcess:
    def __init__(self, name, folder, seed):
        self.folder = os.path.join(folder, name)
        self.port, self.seed = free_port(), seed
        self.process = None

    def start(self):
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "bank.py"), self.folder, str(self.port),
                                         str(self.seed)], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def entries(self):
        database = sqlite3.connect(os.path.join(self.folder, "bank.db"))
        try:
            return database.execute("SELECT transfer, step, cents FROM entry").fetchall()
        finally:
            database.close()


class TransferLoad:
    def __init__(self, daemon, store, folder, seed, rate):
        self.daemon, self.store, self.rate = daemon, store, rate
        self.chance = random.Random(f"{seed} transfers")
        self.banks = [BankProcess(name, folder, seed) for name in BANKS]
        self.told = conservation.Transfers()
        self.bank_kills = 0
        self.surprises = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def prepare(self):
        for bank in self.banks:
            bank.start()
        for name, bank in zip(BANKS, self.banks):
            self.put(f"/api/outboxes/makegood_outbox/destinations/http:{name}",
                     {"http": {"url": f"http://127.0.0.1:{bank.port}/"},
                      "circuit": {"failures_max": 10, "wait_min_ms": 200, "wait_max_ms": 1000}})
        self.put("/api/saga/definitions/transfer", DEFINITION)
        self.thread.start()

    def put(self, path, body):
        status, answer = self.daemon.call("PUT", path, body)
        if status not in (200, 201):
            raise RuntimeError(f"PUT {path} was answered with {status}: {answer}")

    # The load
    # ----------------------------------------------------------------------------------------------------------------

    def work(self):
        count = 0
        while not self.ended.wait(self.chance.expovariate(self.rate)):
            count += 1
            transfer, cents = f"t{count}", self.chance.randrange(20, 1000)
            self.told.cents[transfer] = cents
            if self.start(transfer, cents):
                self.told.committed[transfer] = cents
            if self.chance.random() < CANCELLED_SHARE:
                self.call("POST", f"/api/saga/executions/{transfer}/cancel", {"reason": "the soak changed its mind"})

    def start(self, transfer, cents):
        """In a transaction of one's own, or over REST until somebody says that it is committed."""
        if self.chance.random() < 0.5:
            return self.store.start_saga("transfer", transfer, input_of(transfer, cents))
        body = {"definition": "transfer", "id": transfer, "input": input_of(transfer, cents)}
        while not self.ended.is_set():
            status, answer = self.call("POST", "/api/saga/execute", body)
            if status in (200, 202):
                return True
            if status is not None and status != 503:
                self.surprises.append(f"the start of {transfer} was answered with {status}: {str(answer)[:300]}")
                return False
            time.sleep(0.1)
        return False

    def call(self, method, path, body=None):
        """None: nobody answered."""
        try:
            status, answer = self.daemon.call(method, path, body)
        except OSError:
            return None, None
        if status >= 500 and status != 503:
            self.surprises.append(f"{method} {path} was answered with {status}: {str(answer)[:300]}")
        return status, answer

    def kill_a_bank(self):
        bank = self.chance.choice(self.banks)
        bank.kill()
        self.bank_kills += 1
        time.sleep(self.chance.uniform(0, 1))
        bank.start()

    # The end
    # ----------------------------------------------------------------------------------------------------------------

    def calm_down(self, signal):
        self.ended.set()
        self.thread.join(30)
        for bank in self.banks:
            bank.process.send_signal(signal)

    def come_to_rest(self, show):
        """Who was under way at five deaths waits for somebody: an operator tries it again."""
        until = now() + ENDED_WITHIN
        while now() < until and (unfinished := self.unfinished()):
            show(1.0, f"transfers: {unfinished} have not ended")
            status, answer = self.call("GET", "/api/saga/executions?state=manual&limit=100")
            for each in answer["items"] if status == 200 else []:
                self.call("POST", f"/api/saga/executions/{each['executionId']}/retry", {"reason": "the soak goes on"})
            time.sleep(0.5)

    def unfinished(self):
        return self.store.query("SELECT count(*) FROM makegood_saga AS l LEFT JOIN makegood_saga_end AS e"
                                " ON e.execution = l.sequence WHERE l.topic = 'transfer' AND e.execution IS NULL")[0][0]

    def check(self):
        """Violations, and a line of figures."""
        self.told.states = dict(self.store.query(
            "SELECT l.event_id, coalesce(e.state, w.state) FROM makegood_saga AS l"
            " LEFT JOIN makegood_saga_end AS e ON e.execution = l.sequence"
            " LEFT JOIN makegood_saga_waiting AS w ON w.execution = l.sequence WHERE l.topic = 'transfer'"))
        self.told.entries = [entry for bank in self.banks for entry in bank.entries()]
        counts = collections.Counter(self.told.states.values())
        happened = {"a completed transfer": counts["completed"], "a compensated transfer": counts["compensated"],
                    "the death of a bank": self.bank_kills}
        violations = [f"the run proves little: {name} never happened" for name, it_is in happened.items() if not it_is]
        states = ", ".join(f"{count} {state}" for state, count in counts.most_common())
        moved = sum(cents for _, _, cents in self.told.entries if cents > 0)
        return [*self.surprises, *violations, *conservation.check(self.told)], (
            f"{len(self.told.states)} transfers: {states}; {len(self.told.entries)} entries at the banks, "
            f"{moved} cents moved, {self.bank_kills} kills of banks")

    def end(self):
        self.ended.set()
        for bank in self.banks:
            bank.kill()
