"""Ordinary traffic at a steady rate, and how long its messages take from the INSERT to the receiver."""

import json
import os
import subprocess
from collections import namedtuple

from daemon import clean_environment
from postgres_server import program

SESSIONS = 4
ORDINARY = """
\\set customer random(1, 100000)
INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload)
VALUES ('order.placed', 'shop', 'c' || :customer, json_build_object('at', extract(epoch FROM clock_timestamp())));
"""
ROLLED_BACK = "BEGIN;" + ORDINARY + "ROLLBACK;\n"

Delays = namedtuple("Delays", "count p50 p99 max")


class Traffic:
    """Begins at once, and ends by itself after some seconds or when it is stopped."""

    def __init__(self, url, folder, per_second, seconds, script=ORDINARY):
        path = os.path.join(folder, f"traffic{per_second}.sql")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        command = [program("pgbench"), "-n", f"--rate={per_second}", f"--client={SESSIONS}",
                   f"--time={seconds}", "--protocol=prepared", f"--file={path}", url]
        self.process = subprocess.Popen(command, env=clean_environment(), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()


def began_at(arrival):
    """When it was inserted; None for what is not ordinary traffic."""
    return json.loads(arrival.body).get("at") if len(arrival.body) > 2 else None


def delays(arrivals, since, until):
    """Of those that were inserted in this time, in milliseconds."""
    found = []
    for arrival in arrivals:
        began = began_at(arrival)
        if began is not None and since <= began < until:
            found.append((arrival.at - began) * 1000)
    return Delays(len(found), percentile(found, 50), percentile(found, 99), max(found, default=0))


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else 0


def told(name, each):
    return (f"{name:<28} {each.count:>8} messages   p50 {each.p50:9.1f} ms   p99 {each.p99:9.1f} ms   "
            f"max {each.max:9.1f} ms")
