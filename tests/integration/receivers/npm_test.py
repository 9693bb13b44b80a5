"""What others use to verify and to read accepts what we send: `standardwebhooks` and `cloudevents` from npm.

The packages are installed, at the versions of the lock file, into the folder that MAKEGOOD_NODE_FOLDER names.
"""

import json
import os
import shutil
import subprocess
import sys
import unittest
import urllib.request

from receiver_process import NEW_KEY, OLD_KEY, OTHER_KEY, Capture, Receiver, deliver

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node")
FOLDER = os.environ.get("MAKEGOOD_NODE_FOLDER", "")
INSTALLED_WITHIN = 120
FEW_RETRIES = ("--fetch-retries=1", "--fetch-retry-mintimeout=2000")  # Without a network it would go on for a minute.


class Verifier(Receiver):
    def command(self, unsubscribed):
        return ["node", os.path.join(FOLDER, "verifier.mjs")]

    def accepted(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=20) as response:
            return json.load(response)


class NpmTest(unittest.TestCase):
    def start(self, *keys):
        verifier = Verifier(keys)
        self.addCleanup(verifier.close)
        return verifier

    def test_reads_every_attribute_in_both_modes(self):
        verifier = self.start(OLD_KEY)
        for mode in ("binary", "structured"):
            outcome = deliver(verifier, id=mode, format=mode, tenant="acme", key="order-7", content='{"a":[1,"ä"]}')
            self.assertEqual(outcome.kind, "ok", outcome.detail)
        for mode, event in zip(("binary", "structured"), verifier.accepted(), strict=True):
            self.assertEqual(event["mode"], mode)
            self.assertEqual(event["id"], mode)
            self.assertEqual(event["specversion"], "1.0")
            self.assertEqual(event["source"], "/makegood/shop_outbox/acme")
            self.assertEqual(event["type"], "order.created.v1")
            self.assertEqual(event["subject"], "order-7")
            self.assertEqual(event["tenant"], "acme")
            self.assertEqual(event["sequence"], "0000000000000000042")
            self.assertEqual(event["datacontenttype"], "application/json")
            self.assertTrue(event["time"].endswith("Z"), event["time"])
            self.assertTrue(event["traceparent"].startswith("00-4bf92f35"))
            self.assertEqual(event["data"], {"a": [1, "ä"]})

    def test_accepts_one_good_signature_of_several(self):
        verifier = self.start(OLD_KEY)
        self.assertEqual(deliver(verifier, keys=("NEW", "PAIR", "OLD")).kind, "ok")
        self.assertEqual(deliver(self.start(OTHER_KEY, NEW_KEY), keys=("NEW", "PAIR", "OLD")).kind, "ok")
        self.assertEqual(deliver(self.start(OTHER_KEY), keys=("NEW", "PAIR", "OLD")).kind, "fail")

    def test_refuses_a_body_that_was_changed_on_its_way(self):
        verifier = self.start(OLD_KEY)
        capture = Capture()
        self.addCleanup(capture.close)
        for mode in ("binary", "structured"):
            deliver(capture, format=mode, content='{"amount":1}')
            tampered = capture.body.replace(b'"amount":1', b'"amount":9')
            self.assertNotEqual(tampered, capture.body)
            self.assertEqual(verifier.post(capture.headers, tampered).status, 401)
            self.assertEqual(verifier.post(capture.headers, capture.body).status, 204)

    def test_refuses_what_was_signed_too_long_ago(self):
        outcome = deliver(self.start(OLD_KEY), shift_seconds=-360)
        self.assertEqual(outcome.kind, "fail")
        self.assertIn("401", outcome.detail)


def skip(reason):
    print(f"SKIPPED: {reason}, so no verifier from npm has seen what we send")
    sys.exit(77)


def install():
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    os.makedirs(FOLDER, exist_ok=True)
    for name in ("package.json", "package-lock.json", "verifier.mjs"):
        shutil.copy(os.path.join(SOURCE, name), FOLDER)
    try:
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", *FEW_RETRIES], cwd=FOLDER,
                              text=True, capture_output=True, timeout=INSTALLED_WITHIN, check=False)
    except subprocess.TimeoutExpired:
        skip(f"npm ci did not end within {INSTALLED_WITHIN} s")
    if done.returncode != 0:
        if "EINTEGRITY" in done.stderr or "EUSAGE" in done.stderr:
            sys.exit(done.stderr)  # Not the registry's absence but something wrong with what we want.
        skip("npm ci failed:\n" + done.stderr)


if __name__ == "__main__":
    install()
    unittest.main(verbosity=2)
