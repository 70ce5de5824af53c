import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import hangs

LOG = """
◇ Test run started.
◇ Suite OneTests started.
◇ Test "ends" started.
◇ Test "hangs" started.
◇ Test case passing 1 argument target → .json to "a parser (of JSON) keeps "its" rules" started.
◇ Test "has cases" started.
◇ Test case passing 1 argument code → "to "hangs" started" to "has cases" started.
✔ Test "has cases" with 1 test case passed after 0.2 seconds.
◇ Test case passing 1 argument value → "a✔ Test "ends" passed after 0.1 seconds.
✘ Test "fails" recorded an issue at FailTests.swift:3:5
◇ Test "fails" started.
✘ Test "fails" failed after 0.1 seconds with 1 issue.
➜ Test "is skipped" skipped: "no server"
"""


class Hangs(unittest.TestCase):
    def run_command(self, seconds: float, program: str) -> tuple[int, str, str]:
        """The status, the log and what was printed."""
        printed = io.TextIOWrapper(io.BytesIO())
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
            log = Path(folder) / "log"
            with mock.patch.object(hangs.shutil, "which", return_value=None):
                status = hangs.run(log, seconds, [sys.executable, "-c", program])
            return status, log.read_text(), printed.buffer.getvalue().decode()

    def test_the_tests_that_have_not_ended_are_found(self):
        self.assertEqual(hangs.unfinished(LOG), ['"hangs"', '"a parser (of JSON) keeps "its" rules"'])

    def test_the_output_and_the_status_of_a_command_that_ends_are_passed_on(self):
        status, log, printed = self.run_command(60, "print('a', flush=True); raise SystemExit(3)")
        self.assertEqual((status, log, printed), (3, "a\n", "a\n"))

    def test_a_command_that_says_nothing_is_ended_with_its_own_processes(self):
        program = """
import subprocess, sys
print('◇ Test "waits" started.', flush=True)
subprocess.run(["sleep", "1000"])
"""
        status, log, printed = self.run_command(0.5, program)
        self.assertEqual(status, hangs.HUNG)
        self.assertEqual(log, printed)
        self.assertRegex(log, r"process \d+: sleep 1000")
        self.assertIn('not ended:\n  "waits"\n', log)

    def test_the_status_of_a_command_counts_that_left_a_process_behind(self):
        program = "import subprocess; subprocess.Popen(['sleep', '5']); raise SystemExit(3)"
        status, log, _ = self.run_command(0.5, program)
        self.assertEqual(status, 3)
        self.assertIn("left a process behind", log)


if __name__ == "__main__":
    unittest.main()
