"""The door of a daemon on its own machine: a socket and a token for its user, and nothing for others."""

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import unittest

from daemon import GENEROUS_SECONDS, MESSAGES, PROGRAM, Answer, DaemonCase, clean_environment

OUTBOX = "/api/outboxes/makegood_outbox"


class SocketConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=GENEROUS_SECONDS)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def ask_socket(path, method, target, body=None, **headers):
    connection = SocketConnection(path)
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body)
    try:
        connection.request(method, target, body, headers)
        return Answer(connection.getresponse())
    finally:
        connection.close()


class DoorCase(DaemonCase):
    def start_closed(self, *flags, **variables):
        """As everybody has it: nothing is configured. But for the folder, so that this machine's is left alone."""
        variables = {"MAKEGOOD_SERVER_OPEN_ON_LOOPBACK": "false", **variables}
        daemon = self.start_ready(*flags, **variables)
        daemon.port = daemon.address.split(":")[1]
        return daemon

    def door(self, name):
        return self.path(os.path.join("door", name))

    def token(self, daemon):
        with open(self.door(f"{daemon.port}.token"), encoding="utf-8") as file:
            return file.read().strip()

    def makegood(self, *arguments, **variables):
        variables = {"MAKEGOOD_SERVER_DOOR_FOLDER": self.path("door"), "USER": "ann", **variables}
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=clean_environment(**variables), timeout=60,
                              capture_output=True, encoding="utf-8", check=False)


class Door(DoorCase):
    def test_is_closed_to_whoever_has_no_token(self):
        daemon = self.start_closed()
        for method, path, body in (("GET", "/api/status", None), ("GET", "/metrics", None), ("GET", MESSAGES, None),
                                   ("POST", MESSAGES, {"topic": "a", "payload": 1}), ("GET", "/api/events", None),
                                   ("GET", "/api/openapi.yaml", None)):
            with self.subTest(path):
                answer = daemon.ask(method, path, body)
                self.assertEqual(answer.status, 401)
                self.assertIn("makegood token", answer.json()["detail"])
        for path in ("/healthz", "/readyz"):
            self.assertEqual(daemon.ask("GET", path).status, 200)

    def test_opens_with_the_token_of_the_file(self):
        daemon = self.start_closed()
        self.assertEqual(daemon.ask("GET", "/api/status", token=self.token(daemon)).status, 200)
        self.assertEqual(daemon.ask("GET", "/metrics", token=self.token(daemon)).status, 200)
        self.assertEqual(daemon.ask("GET", "/api/status", token=self.token(daemon)[:-1] + "x").status, 401)

    def test_checks_the_host_with_the_token_too(self):
        daemon = self.start_closed()
        token = self.token(daemon)
        self.assertEqual(daemon.ask("GET", "/api/status", token=token, Host="evil.example").status, 403)
        self.assertEqual(daemon.ask("GET", "/api/status", token=token, Origin="https://evil.example").status, 403)

    def test_has_files_for_its_user_alone(self):
        daemon = self.start_closed()
        for name, mode in ((".", 0o700), (f"{daemon.port}.sock", 0o600), (f"{daemon.port}.token", 0o600)):
            self.assertEqual(stat.S_IMODE(os.stat(self.door(name)).st_mode), mode, name)

    def test_names_the_file_and_never_the_token(self):
        daemon = self.start_closed()
        self.assertIn(f"{daemon.port}.token", daemon.hello)
        self.assertIn(f"{daemon.port}.token", daemon.log())
        self.assertNotIn(self.token(daemon), daemon.hello + daemon.log())

    def test_keeps_its_token_when_the_daemon_is_started_again(self):
        first = self.start_closed()
        token = self.token(first)
        first.end(signal.SIGKILL)
        second = self.start_closed(listen=first.address)
        self.assertEqual(self.token(second), token)
        self.assertEqual(second.ask("GET", "/api/status", token=token).status, 200)

    def test_takes_who_asks_from_the_system(self):
        daemon = self.start_closed()
        path = self.door(f"{daemon.port}.sock")
        put = ask_socket(path, "PUT", f"{OUTBOX}/destinations/http:a", {"http": {"url": "http://127.0.0.1:1/"}},
                         **{"X-Operator": "somebody else"})
        self.settle_at(path, put)
        who = ask_socket(path, "GET", f"{OUTBOX}/requests").json()["items"][0]["operator"]
        self.assertEqual(who, subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip())

    def settle_at(self, path, answer):
        self.assertIn(answer.status, (200, 202), answer.body)

    def test_is_gone_with_its_daemon(self):
        daemon = self.start_closed()
        daemon.end()
        self.assertFalse(os.path.exists(self.door(f"{daemon.port}.sock")))
        self.assertTrue(os.path.exists(self.door(f"{daemon.port}.token")), "the token is kept")

    def test_of_two_daemons_is_two_doors(self):
        first = self.start_closed()
        second = self.start_closed(store="sqlite:other.db")
        self.assertNotEqual(self.token(first), self.token(second))
        self.assertEqual(second.ask("GET", "/api/status", token=self.token(first)).status, 401)
        for daemon in (first, second):
            self.assertEqual(ask_socket(self.door(f"{daemon.port}.sock"), "GET", "/api/status").status, 200)

    def test_can_be_left_open_with_a_warning(self):
        daemon = self.start_ready(MAKEGOOD_SERVER_OPEN_ON_LOOPBACK="true")
        self.assertEqual(daemon.ask("GET", "/api/status").status, 200)
        self.assertRegex(daemon.log(), r"WARN +door .*server.open_on_loopback")
        self.assertEqual(daemon.ask("GET", "/api/status", Host="evil.example").status, 403)

    def test_that_cannot_be_made_is_told_and_no_reason_to_end(self):
        self.write("door", "a file, and no folder")
        daemon = self.start_closed()
        self.assertRegex(daemon.log(), "WARN +no socket")
        self.assertEqual(daemon.ask("GET", "/api/status").status, 401)

    def test_knows_configured_tokens_beside_its_own(self):
        daemon = self.start_closed(MAKEGOOD_TOKENS="viewer wall 0123456789abcdef-wall")
        self.assertEqual(daemon.ask("GET", "/api/status", token="0123456789abcdef-wall").status, 200)
        self.assertEqual(daemon.ask("GET", "/api/status", token=self.token(daemon)).status, 200)
        self.assertEqual(daemon.ask("GET", "/api/status").status, 401)


class CommandLine(DoorCase):
    def test_finds_the_socket_by_itself(self):
        daemon = self.start_closed()
        done = self.makegood("outbox", "enqueue", "order.placed", "{}", "--server", f"http://{daemon.address}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.makegood("status", "--server", f"http://localhost:{daemon.port}").returncode, 0)

    def test_finds_the_token_where_there_is_no_socket(self):
        daemon = self.start_closed()
        os.remove(self.door(f"{daemon.port}.sock"))
        done = self.makegood("status", "--server", f"http://{daemon.address}")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_gives_the_token_to_the_address_that_it_was_written_for_only(self):
        first = self.start_closed()
        second = self.start_closed(store="sqlite:other.db")
        for name in ("sock", "token"):
            os.remove(self.door(f"{second.port}.{name}"))
        done = self.makegood("status", "--server", f"http://{second.address}")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertNotIn(self.token(first), second.log())

    def test_takes_the_token_that_it_is_given_first(self):
        daemon = self.start_closed(MAKEGOOD_TOKENS="viewer wall 0123456789abcdef-wall")
        done = self.makegood("outbox", "enqueue", "a", "{}", "--server", f"http://{daemon.address}",
                             MAKEGOOD_TOKEN="0123456789abcdef-wall")
        self.assertEqual(done.returncode, 1)
        self.assertIn("may only look", done.stderr)

    def test_prints_the_token(self):
        daemon = self.start_closed()
        done = self.makegood("token", "--server", f"http://{daemon.address}")
        self.assertEqual((done.returncode, done.stdout), (0, self.token(daemon) + "\n"), done.stderr)
        self.assertEqual(self.makegood("token", MAKEGOOD_SERVER=f"http://{daemon.address}").stdout, done.stdout)
        self.assertEqual(self.makegood("token", "--set", f"server.listen={daemon.address}").stdout, done.stdout)

    def test_says_what_to_do_where_there_is_no_token(self):
        none = self.makegood("token", "--server", "http://127.0.0.1:1")
        self.assertEqual(none.returncode, 1)
        self.assertIn("start `makegood serve` there", none.stderr)
        self.assertIn("server.token_file", self.makegood("token", "--server", "http://10.0.0.1:7700").stderr)


class Secrets(DoorCase):
    """What a destination may have sent along: nothing of the process but what lies in the places for secrets."""

    def put(self, daemon, **settings):
        document = {"http": {"url": self.inbox.url, **settings}}
        return daemon.ask("PUT", f"{OUTBOX}/destinations/http:thief", document)

    def test_of_other_places_are_refused(self):
        self.inbox = self.receiver()
        daemon = self.start_ready(SHOP_PASSWORD="of the process")
        self.write("line", "one line of a file")
        for reference in (f"file:{self.path('line')}", "file:/etc/hostname", "env:SHOP_PASSWORD", "env:PATH",
                          "file:/run/secrets/../../etc/hostname", "file:/proc/self/environ"):
            with self.subTest(reference):
                answer = self.put(daemon, secret_headers={"X-Stolen": reference})
                self.assertEqual((answer.status, answer.json()["code"]), (400, "REQUEST.INVALID"), answer.body)
                self.assertRegex(answer.json()["detail"], "http.secret_places|must say where the secret is")

    def test_of_allowed_places_are_sent(self):
        self.inbox = self.receiver()
        self.write("line", "from the file\n")
        os.chmod(self.path("line"), 0o644)
        daemon = self.start_ready("--set", f"http.secret_places=file:{self.folder}/,env:SHOP_", SHOP_A="from the shop",
                                  MAKEGOOD_SECRET_B="from the environment")
        references = {"X-A": "env:SHOP_A", "X-B": "env:MAKEGOOD_SECRET_B", "X-C": f"file:{self.path('line')}"}
        self.settle(daemon, self.put(daemon, secret_headers=references))
        self.assertEqual(daemon.ask("POST", f"{OUTBOX}/destinations/http:thief/test", {}).json()["outcome"], "ok")
        got = self.inbox.headers[-1]
        self.assertEqual((got["X-A"], got["X-B"], got["X-C"]),
                         ("from the shop", "from the environment", "from the file"))
        self.assertRegex(daemon.log(), "WARN +secret .*everybody on this machine may read .*line")

    def test_behind_a_link_out_of_their_place_are_not_sent(self):
        self.inbox = self.receiver()
        os.mkdir(self.path("secrets"))
        self.write("line", "one line of a file")
        os.symlink(self.path("line"), self.path("secrets/link"))
        daemon = self.start_ready("--set", f"http.secret_places=file:{self.folder}/secrets/")
        self.settle(daemon, self.put(daemon, secret_headers={"X-Stolen": f"file:{self.folder}/secrets/link"}))
        tried = daemon.ask("POST", f"{OUTBOX}/destinations/http:thief/test", {}).json()
        self.assertNotEqual(tried["outcome"], "ok")
        self.assertIn("leads out of the places for secrets", tried["detail"])
        self.assertEqual(self.inbox.bodies, [])


if __name__ == "__main__":
    unittest.main()
