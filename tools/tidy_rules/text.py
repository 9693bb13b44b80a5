"""How lines look, and what must not be left behind in them."""

import re

from .tree import Finding, is_cpp, is_shell

COLUMNS_MAX = 120
# Put together so that this file does not find itself.
_MARKS = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")


def is_code(path, text):
    return is_cpp(path) or path.endswith(".py") or is_shell(path, text)


def is_ours(path):
    return path != "LICENSE"


def numbered(text):
    return enumerate(text.split("\n"), start=1)


def marks(tree):
    return [Finding(path, number, "marks", "finish it, or file it; leave no mark")
            for path, text in tree.items() if is_ours(path)
            for number, line in numbered(text) if _MARKS.search(line)]


def blanks(tree):
    findings = []
    for path, text in tree.items():
        if not is_code(path, text):
            continue
        for number, line in numbered(text):
            if "\t" in line:
                findings.append(Finding(path, number, "blanks", "a tab"))
            if line != line.rstrip():
                findings.append(Finding(path, number, "blanks", "blanks at the end of the line"))
        if text and not text.endswith("\n"):
            findings.append(Finding(path, text.count("\n") + 1, "blanks", "the last line does not end"))
    return findings


def columns(tree):
    return [Finding(path, number, "columns", f"{len(line)} columns, {COLUMNS_MAX} at most")
            for path, text in tree.items() if is_code(path, text)
            for number, line in numbered(text) if len(line) > COLUMNS_MAX]
