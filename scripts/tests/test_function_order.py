import platform
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import function_order
import processes

PROGRAM = """
#include <pthread.h>
void never(void) {}
void twice(void) {}
static void *in_thread(void *value) { twice(); return value; }
int main(int count, char **arguments) {
    pthread_t threads[8];
    for (int number = 0; number < 8; number++) pthread_create(&threads[number], 0, in_thread, 0);
    for (int number = 0; number < 8; number++) pthread_join(threads[number], 0);
    return count - 1;
}
"""


@unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("cc"), "needs x86-64 and a C compiler")
class FunctionOrder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        source, executable = Path(folder.name) / "program.c", Path(folder.name) / "program"
        source.write_text(PROGRAM)
        subprocess.run(["cc", "-pthread", "-o", executable, source], check=True)
        self.program = function_order.Program(executable.resolve())

    def called(self, arguments):
        """The functions, where the system allows tracing: some containers do not."""
        try:
            return function_order.called(self.program, arguments, self.home)
        except function_order.NoTracing as reason:
            self.skipTest(str(reason))

    def test_has_each_function_that_a_thread_calls_once_in_the_order_of_the_calls(self):
        found = self.called([])
        names = [name for address in found for name in self.program.names[address]]
        self.assertEqual([name for name in names if name in {"main", "in_thread", "twice", "never"}], ["main", "in_thread", "twice"])

    def test_refuses_a_run_that_has_failed(self):
        with self.assertRaises(processes.Problem):
            self.called(["--fail"])

    def test_refuses_a_file_that_is_not_an_executable(self):
        with self.assertRaises(processes.Problem):
            function_order.Program(Path(__file__))
