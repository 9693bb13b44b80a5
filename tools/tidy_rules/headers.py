"""The public face stays small: what applications include, and beside it `spi/` for authors of stores and transports."""

from .tree import Finding

FOLDER = "include/makegood/"
FOLDER_OF_AUTHORS = FOLDER + "spi/"
HEADERS_MAX = 33
LINES_MAX = 250


def public_headers(tree):
    headers = [path for path in tree if path.startswith(FOLDER)]
    findings = []
    # The C face (.h) stands beside its .hpp and is not counted twice.
    counted = [path for path in headers if path.endswith(".hpp") and not path.startswith(FOLDER_OF_AUTHORS)]
    if len(counted) > HEADERS_MAX:
        findings.append(Finding(FOLDER, 1, "public-headers", f"{len(counted)} headers, {HEADERS_MAX} at most"))
    for path in headers:
        lines = tree[path].count("\n")
        if lines > LINES_MAX:
            findings.append(Finding(path, lines, "public-headers", f"{lines} lines, {LINES_MAX} at most"))
    return findings


def pragma_once(tree):
    return [Finding(path, 1, "pragma-once", "a .hpp begins with #pragma once")
            for path, text in tree.items() if path.endswith(".hpp") and "\n#pragma once\n" not in "\n" + text]
