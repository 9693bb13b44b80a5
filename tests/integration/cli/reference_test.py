"""The reference pages say what the program says. `reference_test.py --write` brings them up to date."""

import os
import re
import subprocess
import sys
import unittest

from program import PROGRAM, ProgramCase, clean_environment

REFERENCE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "reference")
SCREEN_LINES_MAX = 40
# It has the flags of every transport: with each kind of broker some come along.
OF_ALL_TRANSPORTS = ("destinations", "add")
OF_ALL_TRANSPORTS_LINES_MAX = 56
SCREEN_COLUMNS_MAX = 140

CLI_HEAD = """# The command line

Made by `tests/integration/cli/reference_test.py --write` from `makegood … --help`.

| exit code | meaning |
|---|---|
EXIT_CODES
Lists and tables are for people; `--json` is for programs. Control characters from the database are escaped (`\\x1b`).
"""


def output_of(*arguments):
    done = subprocess.run([PROGRAM, *arguments], env=clean_environment(), timeout=60, capture_output=True,
                          encoding="utf-8", check=True)
    return done.stdout


def verbs_in(text):
    """The names that a help text lists under Subcommands."""
    _, _, listed = text.partition("Subcommands:\n")
    return re.findall(r"(?m)^  ([\w-]+) ", listed)


def walk(path=()):
    """Every verb with its help, the program itself first."""
    text = output_of(*path, "--help")
    yield path, text
    for verb in verbs_in(text):
        yield from walk((*path, verb))


def exit_codes():
    """Pairs of code and meaning, as the help of the program itself tells them."""
    told = " ".join(output_of("--help").partition("Exit codes: ")[2].split()).removesuffix(".")
    return [tuple(one.split(" ", 1)) for one in told.split("; ")]


def cli_page():
    page = CLI_HEAD.replace("EXIT_CODES", "".join(f"| {code} | {meaning} |\n" for code, meaning in exit_codes()))
    for path, text in walk():
        title = " ".join(("makegood", *path))
        page += f"\n## {title}\n\n```\n{text.strip()}\n```\n"
    return re.sub(r"(?m)[ \t]+$", "", page)


PAGES = {"cli.md": cli_page, "configuration.md": lambda: output_of("config", "keys", "--markdown"),
         "sagas.md": lambda: output_of("saga", "schema", "--markdown"),
         "saga.schema.json": lambda: output_of("saga", "schema"),
         "proxy.md": lambda: output_of("proxy", "--describe"),
         "proxy.schema.json": lambda: output_of("proxy", "--schema")}


def write_pages():
    for name, make in PAGES.items():
        with open(os.path.join(REFERENCE, name), "w", encoding="utf-8") as file:
            file.write(make())


class Reference(ProgramCase):
    def check_page(self, name):
        with open(os.path.join(REFERENCE, name), encoding="utf-8") as file:
            self.assertEqual(file.read(), PAGES[name](), "run reference_test.py --write")

    def test_of_the_command_line_is_up_to_date(self):
        self.check_page("cli.md")

    def test_of_the_configuration_is_up_to_date(self):
        self.check_page("configuration.md")

    def test_of_sagas_is_up_to_date(self):
        self.check_page("sagas.md")
        self.check_page("saga.schema.json")

    def test_of_the_proxy_is_up_to_date(self):
        self.check_page("proxy.md")
        self.check_page("proxy.schema.json")

    def test_of_every_verb_fits_on_a_screen(self):
        for path, text in walk():
            lines = text.splitlines()
            lines_max = OF_ALL_TRANSPORTS_LINES_MAX if path == OF_ALL_TRANSPORTS else SCREEN_LINES_MAX
            self.assertLessEqual(len(lines), lines_max, path)
            self.assertLessEqual(max(map(len, lines)), SCREEN_COLUMNS_MAX, path)

    def test_tells_the_exit_codes_that_there_are(self):
        self.assertEqual([code for code, _ in exit_codes()], ["0", "1", "2", "3"])
        self.assertEqual(dict(exit_codes())["2"], "wrong usage")

    def test_reaches_the_verbs_below_verbs(self):
        paths = {path for path, _ in walk()}
        self.assertLessEqual({("config", "check"), ("outbox", "rewind"), ("migrate",)}, paths)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write_pages()
    else:
        unittest.main()
