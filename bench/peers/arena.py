"""The server that all of them use, and one run of one of them in a database of its own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from contenders import ROOT, CannotRun

sys.path.insert(0, str(ROOT / "tests" / "support"))

from postgres_server import Server  # noqa: E402

DATABASE = "arena"
LOADED_WITHIN = 300
STOPPED_WITHIN = 120
# Durable, with room: neither a checkpoint nor a full cache shall fall into one run and not into another.
SETTINGS = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "wal_level": "replica",
            "shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "15min",
            "checkpoint_completion_target": "0.9", "wal_compression": "off"}


@dataclass
class Run:
    rate: float
    lost: int = 0  # Done according to the database, and never run.
    repeated: int = 0
    is_complete: bool = True  # All were run before the time was over.


class Arena:
    def __init__(self):
        # On a real disk; below build/ the user postgres may not be able to get there.
        self.folder = tempfile.mkdtemp(prefix="makegood-peers.", dir="/var/tmp")
        self.server = Server(self.folder + "/server")
        os.chmod(self.folder, 0o755)

    def __enter__(self):
        self.server.start(**SETTINGS)
        return self

    def __exit__(self, *_):
        self.server.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self):
        return self.server.url(DATABASE)

    def ask(self, sql, database=DATABASE):
        command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, self.server.url(database)]
        quiet = {**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}
        done = subprocess.run(command, env=quiet, text=True, stdout=subprocess.PIPE, timeout=LOADED_WITHIN, check=True)
        return done.stdout.strip()

    def refresh(self):
        self.ask(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)", "postgres")
        self.ask(f"CREATE DATABASE {DATABASE}", "postgres")
        self.ask("CHECKPOINT", "postgres")

    def run(self, contender, runner, setting, jobs, seconds):
        self.refresh()
        self.call(runner, LOADED_WITHIN, "load", self.url(), jobs, setting)
        self.ask("CHECKPOINT")
        said = self.call(runner, seconds + STOPPED_WITHIN, "drain", self.url(), jobs, setting, seconds)
        told = json.loads(said.splitlines()[-1])
        left = int(self.ask(contender.left))
        return Run(rate=told["distinct"] / told["seconds"], lost=max(0, jobs - left - told["distinct"]),
                   repeated=told["runs"] - told["distinct"], is_complete=told["distinct"] == jobs and left == 0)

    def call(self, runner, limit, *arguments):
        try:
            done = subprocess.run([*runner, *map(str, arguments)], text=True, capture_output=True, timeout=limit,
                                  check=False)
        except subprocess.TimeoutExpired:
            raise CannotRun(f"{arguments[0]} took longer than {limit} s") from None
        if done.returncode != 0:
            raise CannotRun(f"{arguments[0]}: {done.stderr.strip()[-300:]}")
        return done.stdout
