"""makegood apply: files, variables, differences."""

import os
import pty
import subprocess
import unittest

from program import PROGRAM, clean_environment
from server import ServerCase
from store import STORE, WHO, StoreCase

SHOP = """
destinations:
  - name: http:billing
    timeout_ms: ${TIMEOUT:-9000}
    http: {url: "http://127.0.0.1:1/${PLACE}"}
routes:
  - {pattern: "order.*", destination: http:billing}
"""


class Files(StoreCase):
    def setUp(self):
        super().setUp()
        self.succeed("migrate", *STORE)

    def apply(self, *arguments, **variables):
        return self.succeed("apply", "-f", "shop.yaml", *arguments, *STORE, *WHO, **variables)

    def refuse(self, text, exit_code=3, **variables):
        self.write("shop.yaml", text)
        done = self.fail_with(exit_code, "apply", "-f", "shop.yaml", *STORE, *WHO, **variables)
        self.assertEqual(self.requests(), [])
        return done.stderr

    def test_show_the_difference_and_change_nothing_in_a_dry_run(self):
        self.write("shop.yaml", SHOP)
        out = self.apply("--dry-run", PLACE="in")
        self.assertEqual(out.splitlines()[:2], ["makegood_outbox", "+ destination http:billing"])
        self.assertIn("    timeout_ms: 9000\n", out)
        self.assertIn('    http.url: "http://127.0.0.1:1/in"\n', out)
        self.assertIn("+ route order.* -> http:billing", out)
        self.assertEqual(self.requests(), [])

    def test_are_recorded_until_somebody_owns_the_outbox(self):
        self.write("shop.yaml", SHOP)
        self.assertIn("Recorded as request 1;", self.apply(PLACE="in"))
        self.assertEqual(self.requests()[0][0], "configure")

    def test_take_variables_as_what_they_say(self):
        self.write("shop.yaml", SHOP)
        self.assertIn("timeout_ms: 1234\n", self.apply("--dry-run", PLACE="in", TIMEOUT="1234"))

    def test_name_the_line_of_a_variable_that_is_not_set(self):
        self.assertIn("shop.yaml:5: ", self.refuse(SHOP))
        self.assertIn("names the variable PLACE, which is not set; set it, or write ${PLACE:-default}",
                      self.refuse(SHOP))

    def test_cannot_smuggle_structure_in_through_a_variable(self):
        self.write("shop.yaml", "destinations: [{name: http:a, http: {url: http://a/, headers: {x-a: '${VALUE}'}}}]\n")
        out = self.apply("--dry-run", VALUE="v'}}, {name: http:other, http: {url: http://b/, headers: {x-a: 'v")
        self.assertEqual(out.count("+ destination"), 1)

    def test_can_have_the_characters_themselves(self):
        self.write("shop.yaml", "destinations: [{name: http:a, http: {url: http://a/, headers: {x-a: '$${VALUE}'}}}]\n")
        self.assertIn('"${VALUE}"', self.apply("--dry-run"))

    def test_are_weighed_before_their_aliases_are_written_out(self):
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
        told = self.refuse("\n".join([*lines, "destinations: *a11", ""]))
        self.assertIn("is too large: with its aliases written out", told)
        self.assertIn("is an alias of what it stands in", self.refuse("destinations: &a [*a]\n"))
        self.assertIn("nested deeper than 64 levels", self.refuse("destinations: " + "[" * 5000 + "]" * 5000 + "\n"))

    def test_are_confirmed_on_a_terminal(self):
        self.write("shop.yaml", SHOP)
        for answer, exit_code, count in ((b"n\n", 1, 0), (b"y\n", 0, 1)):
            ours, theirs = pty.openpty()
            os.write(ours, answer)
            done = subprocess.run([PROGRAM, "apply", "-f", "shop.yaml", *STORE, *WHO], cwd=self.folder, stdin=theirs,
                                  env=clean_environment(PLACE="in"), capture_output=True, timeout=60, check=False)
            os.close(ours)
            os.close(theirs)
            self.assertIn(b"Make it so? [y/N]", done.stderr)
            self.assertEqual((done.returncode, len(self.requests())), (exit_code, count), done.stderr)

    def test_with_unknown_words_are_refused_with_a_hint(self):
        self.assertIn("shop.yaml:1: destination is not known here; is it destinations?",
                      self.refuse("destination: []\n"))
        self.assertIn("rate_mx", self.refuse("destinations: [{name: http:a, rate_mx: 3, http: {url: http://a/}}]\n", 1))

    def test_that_are_no_yaml_are_told_with_their_line(self):
        self.assertRegex(self.refuse("routes:\n  - {pattern: [\n"), r"shop.yaml:\d+: is not YAML: ")

    def test_with_a_name_twice_are_refused(self):
        self.assertIn("is there twice", self.refuse("routes: [{pattern: a, pattern: b, destination: http:a}]\n"))

    def test_of_a_folder_are_taken_together(self):
        os.mkdir(os.path.join(self.folder, "conf"))
        self.write("conf/a.yaml", "destinations: [{name: http:a, http: {url: 'http://127.0.0.1:1/'}}]\n")
        self.write("conf/b.yml", "routes: [{pattern: '*', destination: http:a}]\n")
        self.write("conf/notes.txt", "{")
        out = self.succeed("apply", "-f", "conf", "--dry-run", *STORE, *WHO)
        self.assertIn("+ destination http:a", out)
        self.assertIn("+ route * -> http:a", out)

    def test_can_name_their_outboxes(self):
        self.succeed("migrate", *STORE, "--outbox", "b_outbox")
        self.write("shop.yaml", "outbox: b_outbox\ndestinations: [{name: http:a, http: {url: 'http://127.0.0.1/'}}]\n")
        self.assertTrue(self.apply("--dry-run").startswith("b_outbox\n+ destination http:a\n"))

    def test_that_are_not_there_are_told(self):
        self.assertIn("cannot be read", self.fail_with(3, "apply", "-f", "none.yaml", *STORE, *WHO).stderr)


class OnAServer(ServerCase):
    def apply(self, text, *arguments):
        self.write("shop.yaml", text)
        return self.succeed("apply", "-f", "shop.yaml", *arguments, "--operator", "ann", *self.server, PLACE="in")

    def names(self):
        return [one["name"] for one in self.json("destinations", "list", *self.server)["items"]]

    def test_files_are_in_force_at_once_and_change_nothing_twice(self):
        self.assertRegex(self.apply(SHOP), r"Applied \(request \d+\)\.")
        self.assertEqual(self.names(), ["http:billing"])
        self.assertEqual(self.apply(SHOP), "makegood_outbox: nothing to change\n")

    def test_changes_are_shown_field_by_field(self):
        self.apply(SHOP)
        out = self.apply(SHOP.replace("9000", "8000"))
        self.assertIn("~ destination http:billing\n    timeout_ms: 9000 → 8000\n", out)

    def test_nothing_is_removed_without_prune(self):
        self.apply(SHOP)
        other = "destinations: [{name: http:other, http: {url: 'http://127.0.0.1:1/'}}]\nroutes: []\n"
        self.assertNotIn("- ", self.apply(other))
        self.assertEqual(sorted(self.names()), ["http:billing", "http:other"])
        out = self.apply(other, "--prune")
        self.assertIn("- destination http:billing\n", out)
        self.assertIn("- route order.* -> http:billing\n", out)
        self.assertEqual(self.names(), ["http:other"])


class AtStart(ServerCase):
    SERVE = ("--apply", "conf")
    SERVE_VARIABLES = {"PLACE": "in"}

    def prepare(self):
        os.mkdir(os.path.join(self.folder, "conf"))
        self.write("conf/shop.yaml", SHOP)

    def test_files_are_applied(self):
        self.await_that(lambda: self.json("destinations", "list", *self.server)["items"])


if __name__ == "__main__":
    unittest.main()
