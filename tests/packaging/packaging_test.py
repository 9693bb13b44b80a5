"""The unit, the Dockerfile and the compose file name things that exist, and agree with each other."""

import configparser
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

try:
    import yaml
except ImportError:
    yaml = None

ROOT = os.path.abspath(os.environ.get("MAKEGOOD_ROOT", "."))
PROGRAM = os.path.abspath(os.environ.get("MAKEGOOD_PROGRAM", "makegood"))
IN_EVERY_IMAGE = {"libc6", "libgcc-s1", "libstdc++6"}  # The last is needed by the listed libraries themselves.
SANITIZERS = ("libasan", "libubsan", "libtsan", "liblsan")
SHUTDOWN_GRACE = 25


def read(name):
    with open(os.path.join(ROOT, "packaging", name), encoding="utf-8") as file:
        return file.read()


def flags_of(words):
    return [word for word in words if word.startswith("--")]


def known_flags():
    done = subprocess.run([PROGRAM, "serve", "--help"], capture_output=True, text=True, timeout=30, check=True)
    return set(re.findall(r"--[a-z-]+", done.stdout))


class Unit(unittest.TestCase):
    def setUp(self):
        self.text = read("makegood.service")
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str
        parser.read_string(self.text)
        self.service = parser["Service"]

    def test_starts_the_program_with_flags_that_it_has(self):
        program, verb, *rest = shlex.split(self.service["ExecStart"])
        self.assertEqual((program, verb), ("/usr/bin/makegood", "serve"))
        self.assertLessEqual(set(flags_of(rest)), known_flags())

    def test_waits_longer_than_calls_under_way_may_take(self):
        self.assertGreater(int(self.service["TimeoutStopSec"]), SHUTDOWN_GRACE)

    @unittest.skipIf(shutil.which("systemd-analyze") is None, "systemd-analyze is not installed")
    def test_is_accepted_by_systemd(self):
        with tempfile.TemporaryDirectory() as folder:
            unit = os.path.join(folder, "makegood.service")
            with open(unit, "w", encoding="utf-8") as file:
                file.write(self.text.replace("/usr/bin/makegood", PROGRAM))
            done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=30,
                                  check=False)
        ours = [line for line in done.stderr.splitlines() if "makegood" in line]
        self.assertEqual((done.returncode, ours), (0, []), done.stderr)


class Image(unittest.TestCase):
    def setUp(self):
        self.text = read("Dockerfile").replace("\\\n", " ")

    def test_copies_what_is_there(self):
        copies = [line.split()[1:-1] for line in self.text.splitlines() if re.match(r"COPY (?!--from)", line)]
        self.assertTrue(copies)
        for source in sum(copies, []):
            self.assertTrue(os.path.exists(os.path.join(ROOT, source)), source)

    def test_starts_the_program_with_flags_that_it_has(self):
        command = re.search(r"^CMD (\[.*\])", self.text, re.M).group(1)
        words = re.findall(r'"([^"]*)"', command)
        self.assertEqual(words[0], "serve")
        self.assertLessEqual(set(flags_of(words)), known_flags())

    def test_does_not_run_as_root(self):
        self.assertRegex(self.text, r"(?m)^USER makegood$")

    @unittest.skipIf(shutil.which("dpkg-query") is None or shutil.which("readelf") is None, "this is not a Debian")
    def test_has_every_library_that_the_program_needs(self):
        listed = set(re.search(r"FROM debian:12-slim\s+RUN (.*)", self.text).group(1).split()) | IN_EVERY_IMAGE
        needed = subprocess.run(["readelf", "-d", PROGRAM], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"NEEDED.*\[(lib.*)\]", needed):
            if library.startswith((*SANITIZERS, "libmakegood")):
                continue
            owner = subprocess.run(["dpkg-query", "--search", f"*/{library}"], capture_output=True, text=True,
                                   check=False).stdout
            packages = {line.split(":")[0] for line in owner.splitlines()}
            self.assertTrue(packages & listed, f"{library} is in {packages or 'no package'}, none of which is listed")


@unittest.skipIf(yaml is None, "this Python has no yaml")
class Compose(unittest.TestCase):
    def setUp(self):
        self.file = yaml.safe_load(read("compose.yaml"))
        self.service = self.file["services"]["makegood"]

    def test_builds_the_dockerfile_that_is_there(self):
        build = self.service["build"]
        context = os.path.normpath(os.path.join(ROOT, "packaging", build["context"]))
        self.assertEqual(context, ROOT)
        self.assertTrue(os.path.exists(os.path.join(context, build["dockerfile"])))

    def test_declares_what_its_services_use(self):
        for name, service in self.file["services"].items():
            for secret in service.get("secrets", []):
                self.assertIn(secret, self.file["secrets"], name)
            for volume in service.get("volumes", []):
                self.assertIn(volume.split(":")[0], self.file["volumes"], name)
            for other in service.get("depends_on", {}):
                self.assertIn(other, self.file["services"], name)

    def test_waits_longer_than_calls_under_way_may_take(self):
        self.assertGreater(int(self.service["stop_grace_period"].removesuffix("s")), SHUTDOWN_GRACE)

    def test_opens_its_port_to_this_machine_only(self):
        self.assertEqual(self.service["ports"], ["127.0.0.1:7700:7700"])


def metrics_there_are():
    """Every name of a metric in the code; histograms also with the endings that Prometheus gives them."""
    names = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "src", "observe")):
        for name in files:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                names |= set(re.findall(r'"((?:tx_|outbox_|saga_)[a-z_]+)"', file.read()))
    return names | {name + ending for name in names for ending in ("_bucket", "_sum", "_count")}


@unittest.skipIf(yaml is None, "this Python has no yaml")
class Rules(unittest.TestCase):
    def setUp(self):
        groups = yaml.safe_load(read("prometheus-rules.yml"))["groups"]
        self.rules = [rule for group in groups for rule in group["rules"]]

    def test_name_metrics_that_exist(self):
        known = metrics_there_are()
        self.assertIn("tx_outbox_enqueued_total", known)
        for rule in self.rules:
            named = set(re.findall(r"\b(?:tx_|outbox_|saga_)[a-z_]+", rule["expr"]))
            self.assertTrue(named, rule)
            self.assertLessEqual(named, known, rule)

    def test_are_each_a_record_or_an_alert_and_one_of_a_kind(self):
        names = [rule.get("record") or rule["alert"] for rule in self.rules]
        self.assertEqual(len(names), len(set(names)))
        for rule in self.rules:
            self.assertEqual(rule["expr"].count("("), rule["expr"].count(")"), rule)

    def test_record_the_rates_that_are_promised(self):
        records = " ".join(rule.get("record", "") for rule in self.rules)
        for rate in ("success_rate", "deadletter_rate", "retry_success_rate", "p50", "p95"):
            self.assertIn(rate, records)



if __name__ == "__main__":
    unittest.main()
