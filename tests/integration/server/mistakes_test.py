"""A mistake that no time mends ends the daemon, with what would be allowed; what may pass is waited for."""

import os
import subprocess
import unittest

from daemon import GENEROUS_SECONDS, PROGRAM, DaemonCase, clean_environment

CONFIGURATION = 3
BAD_FILES = {
    "an unknown member": "destinations:\n  - {name: 'http:a', http: {url: 'http://127.0.0.1:1/', typo: 5}}\n",
    "a destination without a URL": "destinations:\n  - {name: 'http:a', http: {}}\n",
    "a route that leads nowhere": "routes:\n  - {pattern: 'order.*', destination: 'http:nobody'}\n",
    "an outbox that is not served": "outbox: other_outbox\nroutes: []\n",
    "no YAML at all": "routes: [\n",
}
GOOD_FILE = """
destinations:
  - {name: 'http:a', http: {url: 'http://127.0.0.1:1/'}}
routes:
  - {pattern: 'order.*', destination: 'http:a'}
"""


class Mistakes(DaemonCase):
    def end_of(self, *flags, store="sqlite:shop.db"):
        done = subprocess.run([PROGRAM, "serve", "--store", store, "--listen", "127.0.0.1:0", *flags], cwd=self.folder,
                              env=clean_environment(), capture_output=True, encoding="utf-8", check=False,
                              timeout=GENEROUS_SECONDS)
        self.assertEqual(done.returncode, CONFIGURATION, done.stdout + done.stderr)
        return done.stderr.strip().splitlines()

    def test_in_the_stores_url(self):
        last = self.end_of(store="sqlit:shop.db")[-1]
        self.assertRegex(last, r"There is no store for the URL 'sqlit:shop.db'; did you mean sqlite:\?.*postgres://")
        self.assertIn("[CONFIG.INVALID]", last)

    def test_in_a_url_that_libpq_cannot_read(self):
        self.assertIn("libpq knows", self.end_of(store="postgres://a@127.0.0.1/shop?sslmoed=require")[-1])

    def test_in_the_files_that_it_should_apply(self):
        for name, text in BAD_FILES.items():
            with self.subTest(name):
                self.write("bad.yaml", text)
                self.assertIn("bad.yaml", "\n".join(self.end_of("--apply", "bad.yaml")))

    def test_are_none_when_the_files_are_good(self):
        self.write("good.yaml", GOOD_FILE)
        daemon = self.start_ready("--apply", "good.yaml")
        routes = daemon.ask("GET", "/api/outboxes/makegood_outbox/routes").json()["routes"]
        self.assertEqual(routes, [{"pattern": "order.*", "destination": "http:a"}], "ready means applied")
        self.assertEqual(daemon.end()[0], 0)

    def test_are_not_what_may_still_come(self):
        self.write("good.yaml", GOOD_FILE)
        daemon = self.start("--apply", "good.yaml", store="sqlite:missing/shop.db")
        answer = daemon.ask("GET", "/readyz")
        self.assertEqual(answer.status, 503)
        self.assertIn("--apply are not applied yet", answer.body.decode())
        os.mkdir(self.path("missing"))
        self.await_(lambda: daemon.ask("GET", "/readyz").status == 200, "it becomes ready")


if __name__ == "__main__":
    unittest.main()
