#!/usr/bin/env python3
"""count_tests.py [--failed-step NAME]... FOLDER...: counts single tests over several runs of ctest.

Each folder holds ctest.xml (the JUnit file of ctest) and gtest/*.xml (one file per GoogleTest program). A program
counts as its test cases; anything else that ctest ran counts as one. What failed and what was skipped is told with its
reason, then comes the one closing line.
"""

import argparse
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

REASON_LINES_MAX = 30


@dataclass(frozen=True)
class Case:
    name: str
    outcome: str  # passed, failed, skipped
    reason: str = ""


def cases_of_program(path):
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        failures = [failure.get("message", "") for failure in case.findall("failure")]
        skipped = case.find("skipped")
        if failures:
            yield Case(name, "failed", "\n".join(failures))
        elif case.get("status") == "notrun":
            yield Case(name, "skipped", "disabled")
        elif skipped is not None or case.get("result") == "skipped":
            yield Case(name, "skipped", skipped.get("message", "") if skipped is not None else "")
        else:
            yield Case(name, "passed")


def skip_reason(output):
    match = re.search(r"(?mi)^skipped: (.*)$", output)
    return match.group(1) if match else "it gave no reason"


def case_of_run(run):
    """What ctest itself says of one run. Not run at all is a failure, unless the test asked to be skipped."""
    output = run.findtext("system-out") or ""
    skipped = run.find("skipped")
    if skipped is not None and "SKIP_" in skipped.get("message", ""):
        return Case(run.get("name"), "skipped", skip_reason(output))
    if run.get("status") == "run":
        return Case(run.get("name"), "passed")
    if run.get("status") == "disabled":
        return Case(run.get("name"), "skipped", "disabled")
    why = skipped if skipped is not None else run.find("failure")
    return Case(run.get("name"), "failed", f"{output}\n{why.get('message', '') if why is not None else ''}".strip())


def read_program(path):
    """Its cases; none when it died before it could write the file to its end."""
    try:
        return list(cases_of_program(path))
    except (OSError, ElementTree.ParseError):
        return []


def cases_in(folder):
    path = os.path.join(folder, "ctest.xml")
    if not os.path.exists(path):
        yield Case(folder, "failed", "ctest left no result")
        return
    for run in ElementTree.parse(path).getroot().iter("testcase"):
        whole = case_of_run(run)
        cases = read_program(os.path.join(folder, "gtest", f"{run.get('name')}.xml"))
        yield from cases
        # A program can fail although all its cases are fine: a crash at the end, a leak, a timeout.
        told = whole.outcome == "failed" and any(case.outcome == "failed" for case in cases)
        if not cases or (whole.outcome == "failed" and not told):
            yield whole


def tell(cases, outcome):
    for case in cases:
        if case.outcome != outcome:
            continue
        print(f"{outcome.upper()}: {case.name}")
        for line in case.reason.strip().splitlines()[-REASON_LINES_MAX:]:
            print(f"    {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failed-step", action="append", default=[], metavar="NAME")
    parser.add_argument("folders", nargs="*")
    arguments = parser.parse_args()

    cases = [case for folder in arguments.folders for case in cases_in(folder)]
    cases += [Case(step, "failed", "see its log above") for step in arguments.failed_step]
    tell(cases, "skipped")
    tell(cases, "failed")
    count = {outcome: sum(case.outcome == outcome for case in cases) for outcome in ("passed", "failed", "skipped")}
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 0 if count["failed"] == 0 and count["passed"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
