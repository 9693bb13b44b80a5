#!/usr/bin/env python3
"""Checks what no compiler checks: layers, names, banned calls, lines, documents. The rules are in tools/tidy_rules/."""

import argparse
import os
import sys

from tidy_rules import calls, documents, headers, includes, lengths, names, text
from tidy_rules.tree import read_tree

RULES = [
    includes.includes,
    names.file_names,
    names.type_names,
    calls.calls,
    headers.public_headers,
    headers.pragma_once,
    text.marks,
    text.blanks,
    text.columns,
    documents.titles,
    documents.links,
    documents.listed,
    documents.layers,
]
LISTS = [lengths.long_files, lengths.long_functions]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", default=os.path.join(os.path.dirname(__file__), ".."))
    tree = read_tree(parser.parse_args().root)

    to_look_at = [finding for look in LISTS for finding in look(tree)]
    for finding in to_look_at:
        print(f"to look at: {finding}")
    findings = [finding for rule in RULES for finding in rule(tree)]
    for finding in findings:
        print(finding)
    print(f"tidy: {len(tree)} files, {len(RULES)} rules, {len(findings)} findings, {len(to_look_at)} to look at")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
