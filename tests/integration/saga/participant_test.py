"""`makegood saga check-participant` against the services of examples/sagas, and against some that break a rule."""

import contextlib
import importlib.util
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = os.path.abspath(os.environ.get("MAKEGOOD_PROGRAM", "makegood"))
SERVICES = os.path.join(os.path.abspath(os.environ.get("MAKEGOOD_EXAMPLES", "examples")), "sagas", "services.py")
ORDER = json.dumps({"customer": "ann", "item": "book", "quantity": 1, "cents": 1990})
BROKE = json.dumps({"customer": "broke", "item": "book", "quantity": 1, "cents": 1990})
# What is charged, and not how many rows there are: a payment that is refunded is no effect.
STATE = "SELECT count(*), coalesce(sum(cents), 0) FROM payment WHERE state = 'charged'"

spec = importlib.util.spec_from_file_location("services", SERVICES)
services = importlib.util.module_from_spec(spec)
spec.loader.exec_module(services)


class WithoutMemory(services.Barrier):
    """Does a repeat again."""

    def act(self, effect):
        try:
            return 200, effect()
        except services.Refused as refused:
            return 422, {"code": str(refused)}


class OneAfterTheOther(services.Barrier):
    """Looks before it acts, in another transaction: two at once both find nothing."""
    meetings = {}

    def act(self, effect):
        if not self.db.execute(services.FIND, self.key).fetchone():
            self.db.execute("COMMIT")
            both_looked = self.meetings.setdefault(tuple(self.key.values()), threading.Barrier(2))
            with contextlib.suppress(threading.BrokenBarrierError):
                both_looked.wait(0.5)
            self.db.execute("BEGIN IMMEDIATE")
            answer = effect()
            self.db.execute("INSERT OR REPLACE INTO saga_barrier "
                            "VALUES (:tenant, :execution, :step, :round, 'done', :answer)",
                            {**self.key, "answer": json.dumps(answer)})
            return 200, answer
        return super().act(effect)


class ForgetsFailures(services.Barrier):
    """Answers a repeated failure with another code."""

    def act(self, effect):
        status, answer = super().act(effect)
        if status == 422:
            self.db.execute("DELETE FROM saga_barrier")
            answer = {"code": f"NO_{os.urandom(4).hex()}"}
        return status, answer


class PlainInverse(services.Barrier):
    """Undoes whatever it is asked to, as often as it is asked."""

    def compensate(self, undo):
        super().compensate(undo)
        self.db.execute("INSERT INTO payment (customer, cents, state) VALUES ('shop', -1990, 'charged')")
        return 200, {}


class OneRound(services.Barrier):
    """Knows its compensation only by the key that it had first."""

    def __init__(self, db, headers):
        super().__init__(db, headers)
        self.is_second = headers["makegood-direction"] == "compensation" and headers["makegood-round"] != "1"

    def compensate(self, undo):
        return (409, {"code": "ALREADY_REFUNDED"}) if self.is_second else super().compensate(undo)


class NothingToUndo(services.Barrier):
    """Does not know what it is to undo."""

    def compensate(self, undo):
        if not self.db.execute(services.FIND, self.key).fetchone():
            return 500, {"error": "there is no such payment"}
        return super().compensate(undo)


class DoesNotBlock(services.Barrier):
    """Its compensation leaves no trace where nothing was done."""

    def compensate(self, undo):
        for (answer,) in self.db.execute(services.UNDO, self.key).fetchall():
            undo(json.loads(answer))
        return 200, {}


class StillSaysOk(services.Barrier):
    """Answers what is undone with its stored answer."""

    def act(self, effect):
        row = self.db.execute(services.FIND, self.key).fetchone()
        return (200, json.loads(row[1])) if row and row[0] == "undone" else super().act(effect)


class OneRoundAtATime(services.Barrier):
    """Knows only the round that it is asked about."""

    def claim(self):
        return bool(self.db.execute(
            "INSERT INTO saga_barrier (tenant, execution, step, round, state) "
            "VALUES (:tenant, :execution, :step, :round, 'refused') ON CONFLICT DO NOTHING RETURNING round",
            self.key).fetchall())


class UndoesOneRound(services.Barrier):
    """Undoes the last round alone."""

    def compensate(self, undo):
        self.claim()
        rows = self.db.execute(services.UNDO.replace("round <= :round", "round = :round"), self.key).fetchall()
        for (answer,) in rows:
            undo(json.loads(answer))
        return 200, {}


BROKEN = {
    "repeat": WithoutMemory,
    "concurrent_repeats": OneAfterTheOther,
    "kept_failure": ForgetsFailures,
    "repeated_compensation": PlainInverse,
    "second_compensation_round": OneRound,
    "compensation_without_action": NothingToUndo,
    "compensation_before_action": DoesNotBlock,
    "action_after_compensation": StillSaysOk,
    "higher_round": OneRoundAtATime,
    "all_rounds": UndoesOneRound,
}


class Participant(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="makegood-participant-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.state = (f"{shlex.quote(sys.executable)} -c \"import sqlite3; "
                      f"print(sqlite3.connect('{self.folder}/payments.db').execute(\\\"{STATE}\\\").fetchone())\"")

    def serve(self, rules=services.Barrier):
        service = type("Payments", (services.Payments,), {"RULES": rules})(self.folder)
        server = services.serve(service, 0)
        server.RequestHandlerClass.log_message = lambda *_: None
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def check(self, url, *arguments):
        return subprocess.run([PROGRAM, "saga", "check-participant", f"{url}/charge", "--compensation", f"{url}/refund",
                               "--input", ORDER, *arguments], timeout=120, text=True, capture_output=True, check=False)

    def verdicts(self, url, *arguments):
        done = self.check(url, "--refused-input", BROKE, "--state-command", self.state, "--json", *arguments)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return {rule["name"]: rule for rule in json.loads(done.stdout)}, done.returncode

    def test_a_good_one_keeps_every_rule(self):
        verdicts, code = self.verdicts(self.serve())
        self.assertEqual(code, 0, verdicts)
        skipped = {name for name, rule in verdicts.items() if rule["verdict"] == "skipped"}
        self.assertEqual(skipped, {"deadline", "killed"})

    def test_it_is_told_to_people(self):
        done = self.check(self.serve())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("✓ A repeated action gets the stored answer\n", done.stdout)
        self.assertIn("· A failure is kept, and leaves nothing (skipped: needs --refused-input)\n", done.stdout)
        self.assertTrue(done.stdout.endswith("9 passed, 0 failed, 3 skipped\n"), done.stdout)

    def test_one_that_breaks_a_rule_is_found_out(self):
        for rule, rules in BROKEN.items():
            with self.subTest(rule=rule):
                verdicts, code = self.verdicts(self.serve(rules))
                self.assertEqual(code, 1)
                self.assertEqual(verdicts[rule]["verdict"], "failed", verdicts)

    def test_without_a_state_a_plain_inverse_cannot_be_seen(self):
        done = self.check(self.serve(PlainInverse))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_nobody_there_is_an_error(self):
        done = self.check("http://127.0.0.1:9")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be reached", done.stderr)

    def test_one_that_is_killed_keeps_its_word(self):
        self.assertEqual(self.killed(SERVICES), "passed")

    def test_one_that_keeps_its_answers_in_memory_is_found_out(self):
        forgetful = os.path.join(self.folder, "forgetful.py")
        with open(forgetful, "w", encoding="utf-8") as file:
            file.write(f"""
import importlib.util, json
spec = importlib.util.spec_from_file_location("services", {SERVICES!r})
services = importlib.util.module_from_spec(spec)
spec.loader.exec_module(services)
services.BARRIER = "DROP TABLE IF EXISTS saga_barrier;\\n" + services.BARRIER
services.main()
""")
        self.assertEqual(self.killed(forgetful), "failed")

    def killed(self, program):
        port = self.free_port()
        others = f"--orders {self.free_port()} --stock {self.free_port()}"
        pid = os.path.join(self.folder, "pid")
        start = (f"({shlex.quote(sys.executable)} {program} --folder {self.folder} --payments {port} {others} "
                 f"> /dev/null 2>&1 & echo $! > {pid})")
        subprocess.run(start, shell=True, check=True)
        self.addCleanup(self.kill, pid)
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)  # Nobody can wait for another program to listen.
        verdicts, _ = self.verdicts(f"http://127.0.0.1:{port}", "--kill-command", f"kill -9 $(cat {pid}); {start}")
        return verdicts["killed"]["verdict"]

    @staticmethod
    def kill(pid):
        with open(pid, encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGKILL)

    @staticmethod
    def free_port():
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            return free.getsockname()[1]


if __name__ == "__main__":
    unittest.main()
