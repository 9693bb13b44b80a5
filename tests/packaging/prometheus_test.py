"""The shipped rules in a real Prometheus that scrapes a real daemon: they fire, and a process that has met nothing yet
shows its counters as 0."""

import contextlib
import http.server
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse
import urllib.request

ROOT = os.path.abspath(os.environ.get("MAKEGOOD_ROOT", "."))
sys.path.insert(0, os.path.join(ROOT, "tests", "integration", "server"))

from daemon import DaemonCase  # noqa: E402, pylint: disable=wrong-import-position

RULES = os.path.join(ROOT, "packaging", "prometheus-rules.yml")
CASES = os.path.join(ROOT, "tests", "packaging", "prometheus-rules.test.yml")
SKIPPED = 77
CONFIGURATION = """
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs:
  - job_name: makegood
    static_configs: [{targets: ['%s']}]
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Exporter:
    """Hands on the metrics of a daemon; when that is dead, so is this."""

    def __init__(self, daemon):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802, the name is given
                try:
                    body = daemon.ask("GET", "/metrics").body
                except OSError:
                    self.send_error(502)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Rules(unittest.TestCase):
    def test_pass_the_cases_that_are_written_for_them(self):
        with tempfile.TemporaryDirectory() as folder:
            for file in (RULES, CASES):
                shutil.copy(file, folder)
            for words in (["check", "rules", os.path.basename(RULES)], ["test", "rules", os.path.basename(CASES)]):
                done = subprocess.run(["promtool", *words], cwd=folder, capture_output=True, text=True, timeout=60,
                                      check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class RealPrometheus(DaemonCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_ready()
        exporter = Exporter(self.daemon)
        self.addCleanup(exporter.close)
        self.write("prometheus.yml", CONFIGURATION % exporter.address)
        with open(RULES, encoding="utf-8") as file:
            # What must last for minutes does so here as well; only nobody waits for it.
            self.write("rules.yml", re.sub(r"for: \d+m", "for: 1s", file.read()))
        self.address = f"127.0.0.1:{free_port()}"
        with open(self.path("prometheus.log"), "w", encoding="utf-8") as log:
            self.prometheus = subprocess.Popen(
                ["prometheus", f"--config.file={self.path('prometheus.yml')}",
                 f"--storage.tsdb.path={self.path('data')}", f"--web.listen-address={self.address}"],
                cwd=self.folder, stdout=log, stderr=log)
        self.addCleanup(self.end_prometheus)
        self.await_(lambda: self.query("tx_outbox_owner") == {"makegood_outbox": 1.0}, "the daemon is scraped")

    def end_prometheus(self):
        self.prometheus.terminate()
        self.prometheus.wait(30)

    def get(self, path):
        try:
            with urllib.request.urlopen(f"http://{self.address}{path}", timeout=10) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def query(self, expression):
        data = self.get("/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        return {one["metric"].get("table", ""): float(one["value"][1]) for one in (data or {}).get("result", [])}

    def firing(self):
        return {alert["labels"]["alertname"] for alert in (self.get("/api/v1/alerts") or {}).get("alerts", [])
                if alert["state"] == "firing"}

    def await_alert(self, name):
        self.await_(lambda: name in self.firing(), f"{name} fires; now: {self.firing()}")

    def test_sees_the_first_dead_letter_of_a_process(self):
        self.await_(lambda: self.firing() == set(), "nothing fires")
        died = 'tx_outbox_deliveries_total{fate="died"}'
        self.await_(lambda: self.query(f"count_over_time({died}[1m])").get("makegood_outbox", 0) >= 2, "two scrapes")
        self.assertEqual(self.query(died), {"makegood_outbox": 0.0})
        receiver = self.receiver()
        receiver.answer = lambda body: 400
        self.route_to(self.daemon, receiver)
        self.assertEqual(self.daemon.enqueue().status, 201)
        self.await_alert("MakegoodDeadLetters")

    def test_sees_a_destination_that_is_down(self):
        self.await_(lambda: self.firing() == set(), "nothing fires")
        receiver = self.receiver()
        receiver.answer = lambda body: 503
        self.route_to(self.daemon, receiver)
        for _ in range(20):
            self.assertEqual(self.daemon.enqueue().status, 201)
        self.await_alert("MakegoodDestinationDown")
        receiver.answer = lambda body: 200
        self.await_(lambda: "MakegoodDestinationDown" not in self.firing(), "it is over")

    def test_sees_a_store_that_cannot_be_written_to(self):
        self.await_(lambda: self.firing() == set(), "nothing fires")
        alarms = 'tx_outbox_alarm_total{code="STORAGE.UNAVAILABLE"}'
        self.await_(lambda: self.query(f"count_over_time({alarms}[1m])").get("makegood_outbox", 0) >= 2, "two scrapes")
        self.assertEqual(self.query(alarms), {"makegood_outbox": 0.0})
        with contextlib.closing(sqlite3.connect(self.path("shop.db"), timeout=30, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            self.await_alert("MakegoodStoreTrouble")
            other.execute("ROLLBACK")

    def test_sees_that_all_processes_are_dead(self):
        self.daemon.process.kill()
        self.await_alert("MakegoodGone")
        self.await_alert("MakegoodNobodyRelays")


if __name__ == "__main__":
    if shutil.which("prometheus") is None or shutil.which("promtool") is None:
        print("SKIPPED: prometheus is not installed", flush=True)
        sys.exit(SKIPPED)
    unittest.main()
