#!/usr/bin/env python3
"""What ./test closes with is the truth: each way in which a test can end is counted once."""

import os
import tempfile
import unittest

import count_tests

PASSED = '<testcase name="{}" status="run"><system-out>fine</system-out></testcase>'
FAILED = '<testcase name="{}" status="fail"><failure message="Failed"/><system-out>it broke</system-out></testcase>'
SKIPPED = ('<testcase name="{}" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
           '<system-out>skipped: no clang here</system-out></testcase>')
MISSING = '<testcase name="{}" status="notrun"><skipped message="Unable to find executable"/></testcase>'

CASE_PASSED = '<testcase name="A" classname="Lane" status="run" result="completed"/>'
CASE_FAILED = ('<testcase name="B" classname="Lane" status="run" result="completed">'
               '<failure message="1 is not 2"/><failure message="3 is not 4"/></testcase>')
CASE_SKIPPED = ('<testcase name="C" classname="Lane" status="run" result="skipped">'
                '<skipped message="no server"/></testcase>')
CASE_DISABLED = '<testcase name="DISABLED_D" classname="Lane" status="notrun" result="suppressed"/>'


class CountTests(unittest.TestCase):
    def outcomes(self, runs, programs=None):
        """(name, outcome) of each test, for this ctest.xml and these files of GoogleTest programs."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "gtest"))
            self.write(os.path.join(folder, "ctest.xml"), f"<testsuite>{runs}</testsuite>")
            for name, cases in (programs or {}).items():
                self.write(os.path.join(folder, "gtest", name + ".xml"), cases)
            self.cases = list(count_tests.cases_in(folder))
        return [(case.name, case.outcome) for case in self.cases]

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def program(*cases):
        return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"

    def test_a_plain_test_counts_as_one(self):
        self.assertEqual(self.outcomes(PASSED.format("tidy")), [("tidy", "passed")])
        self.assertEqual(self.outcomes(FAILED.format("tidy")), [("tidy", "failed")])
        self.assertIn("it broke", self.cases[0].reason)

    def test_a_skipped_test_tells_its_reason(self):
        self.assertEqual(self.outcomes(SKIPPED.format("clang")), [("clang", "skipped")])
        self.assertEqual(self.cases[0].reason, "no clang here")
        self.outcomes(SKIPPED.format("go").replace("skipped: no clang", "SKIPPED: no go"))
        self.assertEqual(self.cases[0].reason, "no go here")

    def test_a_program_that_is_not_there_has_failed(self):
        self.assertEqual(self.outcomes(MISSING.format("unit_core")), [("unit_core", "failed")])

    def test_a_program_counts_as_its_cases(self):
        cases = self.program(CASE_PASSED, CASE_FAILED, CASE_SKIPPED, CASE_DISABLED)
        self.assertEqual(self.outcomes(FAILED.format("unit_core"), {"unit_core": cases}), [
            ("Lane.A", "passed"), ("Lane.B", "failed"), ("Lane.C", "skipped"), ("Lane.DISABLED_D", "skipped")])
        self.assertEqual(self.cases[2].reason, "no server")

    def test_a_program_that_fails_after_its_cases_has_failed(self):
        outcomes = self.outcomes(FAILED.format("unit_core"), {"unit_core": self.program(CASE_PASSED)})
        self.assertEqual(outcomes, [("Lane.A", "passed"), ("unit_core", "failed")])

    def test_a_program_that_died_in_the_middle_has_failed(self):
        outcomes = self.outcomes(FAILED.format("unit_core"), {"unit_core": "<testsuites><testsu"})
        self.assertEqual(outcomes, [("unit_core", "failed")])

    def test_a_run_without_a_result_has_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual([case.outcome for case in count_tests.cases_in(folder)], ["failed"])


if __name__ == "__main__":
    unittest.main()
