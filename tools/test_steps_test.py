"""What ./test says of its simulated worlds: the seeds drawn anew, which a test that passes prints into a log only."""
import pathlib
import subprocess
import tempfile
import unittest

STEPS = pathlib.Path(__file__).parent / "test_steps.sh"
LOG = """[ RUN      ] FreshSeeds.KeepEveryPromise
seeds 12 to 15: 4 runs, 8000 steps
[ RUN      ] FreshSeeds.KeepEveryPromiseOfSagas
sagas, seeds 12 to 15: 4 runs, 99 executions
the seeds of something else
"""


def printed(log):
    """Sourced without the rest of ./test, whose end would remove servers."""
    command = 'source "$0"; trap - EXIT; print_seeds "$1"'
    run = subprocess.run(["bash", "-euo", "pipefail", "-c", command, STEPS, log], capture_output=True, text=True)
    return run.returncode, run.stdout.splitlines()


class Seeds(unittest.TestCase):
    def test_are_printed_from_the_log_of_ctest(self):
        with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
            log.write(LOG)
            log.flush()
            code, lines = printed(log.name)
        self.assertEqual(code, 0)
        self.assertEqual(lines, ["The simulator ran seeds 12 to 15: 4 runs, 8000 steps",
                                 "The simulator ran sagas, seeds 12 to 15: 4 runs, 99 executions"])

    def test_are_none_where_no_test_ran(self):
        self.assertEqual(printed("/nowhere/LastTest.log"), (0, []))


if __name__ == "__main__":
    unittest.main()
