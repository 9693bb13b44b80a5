"""From start to stop: signals, tokens, notices to systemd, reload."""

import os
import re
import signal
import socket
import subprocess
import threading
import time
import unittest

from daemon import PROGRAM, DaemonCase, clean_environment

VIEWER, OPERATOR = "0123456789abcdef-wall", "0123456789abcdef-ann"


class Life(DaemonCase):
    def test_starts_and_stops_quickly_when_idle(self):
        daemon = self.start_ready()
        ready_seconds = time.monotonic() - daemon.began
        code, seconds = daemon.end()
        print(f"start {daemon.hello_seconds:.3f} s, ready {ready_seconds:.3f} s, stop {seconds:.3f} s", flush=True)
        self.assertEqual(code, 0, daemon.log())
        self.assertLess(ready_seconds, 10)
        self.assertLess(seconds, 10)
        self.assertIn("everybody on this machine may do everything", daemon.hello)
        self.assertIn("sqlite:shop.db", daemon.hello)

    def test_has_its_tables_when_it_answers_for_the_first_time(self):
        daemon = self.start()
        answer = daemon.ask("GET", "/api/outboxes/makegood_outbox")
        self.assertEqual(answer.status, 200, answer.body)

    def test_ends_by_an_interrupt_too(self):
        code, _ = self.start_ready().end(signal.SIGINT)
        self.assertEqual(code, 0)

    def test_delivers_what_is_enqueued_over_rest(self):
        daemon, receiver = self.start_ready(), self.receiver()
        self.route_to(daemon, receiver)
        self.assertEqual(daemon.enqueue().status, 201)
        self.await_(lambda: receiver.bodies, "the message arrives")
        self.assertEqual(receiver.bodies[0][1], b'{"n": 1}')
        self.assertEqual(daemon.end()[0], 0)

    def test_lets_a_send_end_and_ends_at_once_by_a_second_signal(self):
        daemon, receiver = self.start_ready(), self.receiver()
        self.route_to(daemon, receiver)
        began, release = threading.Event(), threading.Event()
        self.addCleanup(release.set)

        def hang(_):
            began.set()
            release.wait(60)
            return 200

        receiver.answer = hang
        self.assertEqual(daemon.enqueue().status, 201)
        self.assertTrue(began.wait(20))
        daemon.send(signal.SIGTERM)
        with self.assertRaises(subprocess.TimeoutExpired):
            daemon.process.wait(1)
        code, seconds = daemon.end()
        self.assertNotEqual(code, 0)
        self.assertLess(seconds, 5)

    def test_applies_files_at_the_start(self):
        receiver = self.receiver()
        self.write("shop.yaml", "destinations: [{name: 'http:billing', http: {url: '${RECEIVER}'}}]\n"
                                "routes: [{pattern: 'order.*', destination: 'http:billing'}]\n")
        daemon = self.start_ready("--apply", "shop.yaml", RECEIVER=receiver.url)
        self.await_(lambda: "applied" in daemon.log(), "it is done")
        self.assertEqual(daemon.enqueue().status, 201)
        self.await_(lambda: receiver.bodies, "the message arrives")

    def test_refuses_files_with_mistakes(self):
        self.write("shop.yaml", "destination: []\n")
        done = subprocess.run([PROGRAM, "serve", "--listen", "127.0.0.1:0", "--apply", "shop.yaml"], cwd=self.folder,
                              env=clean_environment(), capture_output=True, encoding="utf-8", timeout=60, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("shop.yaml", done.stderr)

    def test_refuses_an_address_that_others_reach_without_a_token(self):
        done = subprocess.run([PROGRAM, "serve", "--listen", "0.0.0.0:0"], cwd=self.folder, env=clean_environment(),
                              capture_output=True, encoding="utf-8", timeout=60, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("MAKEGOOD_TOKENS", done.stderr)

    def test_says_that_its_address_is_taken(self):
        daemon = self.start()
        done = subprocess.run([PROGRAM, "serve", "--listen", daemon.address], cwd=self.folder, env=clean_environment(),
                              capture_output=True, encoding="utf-8", timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(daemon.address, done.stderr)

    def test_knows_viewers_and_operators(self):
        self.write("tokens", f"viewer wall {VIEWER}\n")
        daemon = self.start_ready("--set", "server.token_file=tokens", MAKEGOOD_TOKENS=f"operator ann {OPERATOR}")
        self.assertEqual(daemon.ask("GET", "/api/status").status, 401)
        self.assertEqual(daemon.ask("GET", "/api/status", token="0123456789abcdef-else").status, 401)
        self.assertEqual(daemon.ask("GET", "/api/status", token=VIEWER).status, 200)
        self.assertEqual(daemon.ask("GET", "/metrics", token=VIEWER).status, 200)
        message = {"topic": "order.placed", "payload": 1}
        path = "/api/outboxes/makegood_outbox/messages"
        self.assertEqual(daemon.ask("POST", path, message, token=VIEWER).status, 403)
        self.assertEqual(daemon.ask("POST", path, message, token=OPERATOR).status, 201)
        self.assertNotIn(OPERATOR, daemon.log() + daemon.hello)

    def test_refuses_browsers_that_others_sent(self):
        daemon = self.start_ready()
        self.assertEqual(daemon.ask("GET", "/api/status", Host="evil.example").status, 403)
        self.assertEqual(daemon.ask("GET", "/api/status", Origin="https://evil.example").status, 403)
        self.assertEqual(daemon.ask("GET", "/api/status").status, 200)

    def test_serves_metrics_where_it_is_told_to(self):
        daemon = self.start_ready(PROMETHEUS_METRICS_PATH="/figures")
        for path in ("/metrics", "/figures"):
            self.await_(lambda where=path: "outbox_relay_leader" in daemon.ask("GET", where).body.decode(), "it leads")
            self.assertIn("tx_http_requests_total", daemon.ask("GET", path).body.decode())
        self.assertEqual(daemon.ask("GET", "/debug/prometheus").status, 404)

    def test_serves_no_metrics_when_it_is_told_not_to(self):
        daemon = self.start_ready(PROMETHEUS_METRICS_ENABLED="false")
        self.assertEqual(daemon.ask("GET", "/metrics").status, 404)


class Store(DaemonCase):
    def warnings(self, daemon):
        return [line for line in daemon.log().splitlines() if "can damage a database" in line]

    def test_of_an_old_sqlite_is_warned_of_once(self):
        said = subprocess.run([PROGRAM, "version"], capture_output=True, encoding="utf-8", env=clean_environment(),
                              timeout=60, check=True).stdout
        version = tuple(map(int, re.search(r"SQLite (\d+)\.(\d+)\.(\d+)", said).groups()))
        warnings = self.warnings(self.start_ready())
        self.assertEqual(len(warnings), 1 if version < (3, 51, 3) else 0, warnings)
        self.assertTrue(all(" WARN " in line for line in warnings), warnings)

    def test_without_sqlite_is_not_warned_of(self):
        self.assertEqual(self.warnings(self.start_ready(store="memory:")), [])


class Reload(DaemonCase):
    def is_told(self, daemon):
        return "changed: server.access_log from false to true" in daemon.log()

    def expect_calls_in_the_log(self, daemon):
        self.await_(lambda: self.is_told(daemon), "the change is told")
        daemon.ask("GET", "/api/status?secret=1", **{"X-Request-Id": "mine-42"})
        self.await_(lambda: "mine-42" in daemon.log(), "the call is logged")
        self.assertNotIn("secret=1", daemon.log())

    def lines(self, daemon, level):
        return [line for line in daemon.log().splitlines() if f" {level} " in line and "configuration" in line]

    def test_happens_when_the_file_changes(self):
        self.write("makegood.yaml", "server: {access_log: false}\n")
        daemon = self.start_ready()
        self.write("makegood.yaml", "server: {access_log: true}\n")
        self.expect_calls_in_the_log(daemon)

    def test_happens_by_signal_where_nobody_sees_the_change(self):
        os.mkdir(self.path("elsewhere"))
        # A file that the store makes beside the link would be a reason to look at it.
        os.mkdir(self.path("configuration"))
        self.write("elsewhere/makegood.yaml", "server: {access_log: false}\n")
        os.symlink("../elsewhere/makegood.yaml", self.path("configuration/makegood.yaml"))
        daemon = self.start_ready("--config", self.path("configuration/makegood.yaml"))
        self.write("elsewhere/makegood.yaml", "server: {access_log: true}\n")
        daemon.ask("GET", "/api/status")
        self.assertFalse(self.is_told(daemon), "only the folder of the link is watched")
        daemon.send(signal.SIGHUP)
        self.expect_calls_in_the_log(daemon)

    def test_of_a_file_with_mistakes_changes_nothing_and_tells_them(self):
        self.write("makegood.yaml", "server: {access_log: true}\n")
        daemon = self.start_ready()
        self.write("makegood.yaml", "server: {access_log: false, workerz: 3}\n")
        self.await_(lambda: "nothing was changed" in daemon.log(), "the refusal is told")
        self.assertIn("mistake: makegood.yaml:1: server.workerz is not a known key; is it server.workers?",
                      "".join(self.lines(daemon, "ERROR")))
        daemon.ask("GET", "/api/status", **{"X-Request-Id": "still-logged"})
        self.await_(lambda: "still-logged" in daemon.log(), "the call is logged, as before")

    def test_of_what_needs_a_restart_is_a_warning(self):
        self.write("makegood.yaml", "server: {workers: 2}\n")
        daemon = self.start_ready()
        self.write("makegood.yaml", "server: {workers: 3}\n")
        self.await_(lambda: "needs a restart: server.workers from 2 to 3" in daemon.log(), "it is told")
        self.assertEqual(len(self.lines(daemon, "WARN")), 1, daemon.log())


class Systemd(DaemonCase):
    def listen(self):
        notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(notices.close)
        notices.settimeout(20)
        notices.bind(self.path("notify"))
        return notices

    def hear(self, notices, wanted):
        """Answers what came before the wanted word, too."""
        heard = []
        for _ in range(100):
            heard.append(notices.recv(4096).decode())
            if wanted in heard[-1]:
                return heard
        self.fail(f"{wanted} never came: {heard}")

    def test_is_told_of_start_life_and_stop(self):
        notices = self.listen()
        daemon = self.start(NOTIFY_SOCKET=self.path("notify"), WATCHDOG_USEC="2000000")
        self.hear(notices, "READY=1")
        self.hear(notices, "WATCHDOG=1")
        self.hear(notices, "WATCHDOG=1")
        daemon.send(signal.SIGTERM)
        self.hear(notices, "STOPPING=1")
        self.assertEqual(daemon.process.wait(20), 0)

    def test_gets_no_sign_of_life_from_a_process_that_hangs(self):
        notices = self.listen()
        daemon = self.start(NOTIFY_SOCKET=self.path("notify"), WATCHDOG_USEC="1000000")
        self.hear(notices, "WATCHDOG=1")
        daemon.send(signal.SIGSTOP)
        self.addCleanup(daemon.send, signal.SIGCONT)
        notices.settimeout(0.5)
        with self.assertRaises(TimeoutError):
            for _ in range(100):  # What was sent before it stopped may still be there.
                notices.recv(4096)

    def test_hears_why_the_store_is_away(self):
        notices = self.listen()
        self.start(store="sqlite:missing/shop.db", NOTIFY_SOCKET=self.path("notify"))
        self.hear(notices, "READY=1")
        self.hear(notices, "not ready: makegood_outbox")
        os.mkdir(self.path("missing"))
        self.hear(notices, "STATUS=serving")


if __name__ == "__main__":
    unittest.main()
