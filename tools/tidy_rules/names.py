"""Names that say nothing."""

import os
import re

from .tree import Finding, code_only, find, is_cpp

EMPTY_WORDS = {"util", "utils", "helper", "helpers", "manager", "common", "misc", "impl"}

_TYPE = r"\b(?:class|struct|enum|enum class|union|using|concept)\s+(?:\[\[\w+\]\]\s*)?(?P<name>[A-Z]\w*)"


def words_of(name):
    """snake_case, kebab-case and PascalCase alike."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def file_names(tree):
    findings = []
    for path in tree:
        for part in path.split("/"):
            bad = EMPTY_WORDS.intersection(words_of(os.path.splitext(part)[0]))
            if bad:
                findings.append(Finding(path, 1, "file-name", f"'{part}' says nothing: name it after what it does"))
    return findings


def type_names(tree):
    findings = []
    for path, text in tree.items():
        if not is_cpp(path):
            continue
        for line, match in find(_TYPE, code_only(text)):
            if EMPTY_WORDS.intersection(words_of(match["name"])):
                findings.append(Finding(path, line, "type-name", f"{match['name']}: name it after what it does"))
    return findings
