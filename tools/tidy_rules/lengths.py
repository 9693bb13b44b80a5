"""Long files and functions: a list to look at, not a wall."""

import re

from .tree import Finding, code_only, is_cpp

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70

_NO_FUNCTION = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b(?![^()]*\()"
                          r"|\b(?:if|for|while|switch|catch)\b"
                          r"|=\s*$|\]\s*(?:\([^)]*\))?\s*$")


def long_files(tree):
    return [Finding(path, 1, "long-file", f"{text.count(chr(10))} lines")
            for path, text in tree.items()
            if (is_cpp(path) or path.endswith(".py")) and text.count("\n") > FILE_LINES_MAX]


def functions(code):
    """(first line, last line, name) of each outermost function body: a brace that follows a parameter list."""
    depth = 0
    start = None
    head = ""
    line = 1
    for character in code:
        if character == "\n":
            line += 1
        if character == "{":
            if start is None and ")" in head and not _NO_FUNCTION.search(head):
                name = re.search(r"([\w:~]+)\s*\(", head)
                start = (line, depth, name.group(1) if name else "?")
            depth += 1
            head = ""
        elif character == "}":
            depth -= 1
            head = ""
            if start and depth == start[1]:
                yield start[0], line, start[2]
                start = None
        elif character == ";":
            head = ""
        else:
            head += character


def long_functions(tree):
    findings = []
    for path, text in tree.items():
        if not is_cpp(path):
            continue
        for first, last, name in functions(code_only(text)):
            if last - first + 1 > FUNCTION_LINES_MAX:
                findings.append(Finding(path, first, "long-function", f"{name}: {last - first + 1} lines"))
    return findings
