"""Who takes part: how each is installed by package name, what runs it, and how to see what it has left undone."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "build" / "peers"
BENCH = ROOT / "build" / "release" / "bin" / "makegood-bench"
DEBIAN_PYTHON = "/usr/bin/python3"  # Sees Debian's packages.
INSTALLED_WITHIN = 600


class CannotRun(Exception):
    """Something of this machine is missing."""


@dataclass
class Contender:
    """Its runner knows `load URL JOBS SETTING` and `drain URL JOBS SETTING SECONDS`; the latter prints what it did."""
    name: str
    prepare: object  # → the runner as a command, or CannotRun
    left: str  # SQL: how many jobs are not done yet.
    settings: dict = field(default_factory=dict)  # best and default, in words.


def run(*command, folder=ROOT, **environment):
    try:
        done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, text=True, capture_output=True,
                              timeout=INSTALLED_WITHIN, check=False)
    except FileNotFoundError:
        raise CannotRun(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise CannotRun(f"{command[0]} took longer than {INSTALLED_WITHIN} s") from None
    if done.returncode != 0:
        raise CannotRun(f"{' '.join(map(str, command[:3]))}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


def install_packages():
    """Debian's part, as ./test does it."""
    script = "source tools/front_door.sh && source tools/packages.sh && install_missing \"${packages_of_peers[@]}\""
    subprocess.run(["bash", "-ec", script, "tools/"], cwd=ROOT, check=False)


def node(script):
    """With the Node.js that these packages ask for, newer than Debian's; it comes from npm too."""
    folder = FOLDER / "node"
    folder.mkdir(parents=True, exist_ok=True)
    lock, installed = HERE / "package-lock.json", folder / "installed.json"
    if not installed.exists() or installed.read_bytes() != lock.read_bytes():
        shutil.copy(HERE / "package.json", folder)
        shutil.copy(lock, folder)
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=folder)
        shutil.copy(lock, installed)
    for source in HERE.glob("*.mjs"):
        shutil.copy(source, folder)
    return [folder / "node_modules" / ".bin" / "node", folder / script]


def river():
    program = FOLDER / "river"
    run("go", "build", "-o", program, ".", folder=HERE / "river", GOFLAGS="-mod=readonly")
    return [program]


def pgq():
    run(DEBIAN_PYTHON, "-c", "import psycopg2, pgq")
    run("pgqd", "-V")
    return [DEBIAN_PYTHON, "-B", HERE / "pgq_events.py"]


PEERS = [
    Contender("graphile-worker 0.18.0", lambda: node("graphile.mjs"), "SELECT count(*) FROM graphile_worker.jobs",
              {"best": "local queue 500, completions batched, 24 at once", "default": "one by one, 24 at once"}),
    Contender("pg-boss 12.35.0", lambda: node("pg_boss.mjs"),
              "SELECT count(*) FROM pgboss.job WHERE state <> 'completed'",
              {"best": "batches of 1000 in bursts", "default": "as it comes: 1 every 2 s"}),
    Contender("River 0.50.0", river, "SELECT count(*) FROM river_job WHERE state <> 'completed'",
              {"best": "2000 workers, cooldown 2 ms, poll 20 ms", "default": "as it comes, 100 workers"}),
    Contender("PgQ 3.5", pgq, "SELECT pending_events FROM pgq.get_consumer_info()",
              {"best": "batches of 5000 in a loop", "default": "python3-pgq and pgqd as they come"}),
]


def drain_makegood(url, jobs):
    """Messages per second by our own benchmark, and how many were lost and repeated: it loads and counts by itself."""
    done = subprocess.run([BENCH, "drain", "--store", url, "--messages", str(jobs)], text=True, capture_output=True,
                          timeout=INSTALLED_WITHIN, check=False)
    figures = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not figures:
        raise CannotRun(f"makegood-bench drain: {done.stderr.strip()[-200:]}")
    told = {figure["name"]: int(figure["figure"]) for figure in figures if figure["unit"] == "messages"}
    return figures[0]["figure"], told["lost by it"], told["repeated by it"]
