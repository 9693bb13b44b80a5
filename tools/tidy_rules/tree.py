"""A tree of files as the rules see it: paths from the root, and their texts."""

import os
import re
from dataclasses import dataclass

CPP = (".cpp", ".hpp", ".c", ".h")
SKIPPED_FOLDERS = {".git", ".cache", "__pycache__", "build", "node_modules"}

# Comments and literals, in the order in which they must be tried. A raw string may hold anything, a slash too.
_LITERALS = re.compile(
    r'R"(?P<raw>[^\s()\\]*)\((?:.|\n)*?\)(?P=raw)"'
    r'|//[^\n]*'
    r'|/\*(?:.|\n)*?\*/'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
)


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message} [{self.rule}]"


def read_tree(root):
    """All text files below root, as {path: text}."""
    tree = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            full = os.path.join(folder, name)
            try:
                with open(full, encoding="utf-8") as file:
                    tree[os.path.relpath(full, root)] = file.read()
            except UnicodeDecodeError:
                continue
    return tree


def is_cpp(path):
    return path.endswith(CPP)


def is_shell(path, text):
    return path.endswith(".sh") or text.startswith(("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash"))


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def code_only(text):
    """The text with comments and literals blanked out, line for line."""
    return _LITERALS.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def find(pattern, text):
    """(line number, match) for each match."""
    for match in re.finditer(pattern, text):
        yield text.count("\n", 0, match.start()) + 1, match
