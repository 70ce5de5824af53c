import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import processes


class Ports(unittest.TestCase):
    def test_free_ports_are_different_and_above_1023(self):
        ports = processes.free_ports(20)
        self.assertEqual(len(set(ports)), 20)
        for port in ports:
            self.assertGreater(port, 1023)

    def test_free_ports_can_be_listened_on(self):
        # Somebody else may take one meanwhile, but not in every attempt.
        self.assertTrue(any(all(map(self.is_free, processes.free_ports(5))) for _ in range(5)))

    def is_free(self, port):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            return False
        return True

    def test_a_port_accepts_while_a_socket_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            self.assertTrue(processes.accepts(port))
        self.assertFalse(processes.accepts(port))


class Services(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def service(self, script, **options):
        service = processes.Service("it", ["sh", "-c", script], self.folder / "log", **options)
        self.addCleanup(service.stop)
        return service

    def test_a_service_is_waited_for_until_its_log_has_a_text(self):
        service = self.service("sleep 0.1; echo listening on 4711; sleep 60")
        self.assertEqual(service.wait_for(lambda: service.logged(r"listening on (\d+)")), "4711")

    def test_a_service_that_ends_is_a_problem_with_its_log(self):
        service = self.service("echo the port is taken >&2; exit 1")
        with self.assertRaisesRegex(processes.Problem, "it ended; its log says:\nthe port is taken"):
            service.wait_for(lambda: False)

    def test_a_service_that_is_not_ready_in_time_is_a_problem(self):
        with self.assertRaisesRegex(processes.Problem, r"not ready after 0.1 s; its log says:\n\(nothing\)"):
            self.service("sleep 60").wait_for(lambda: False, seconds=0.1)

    @unittest.skipUnless(shutil.which("Xvfb"), "needs Xvfb")
    def test_a_virtual_display_has_a_socket_until_the_end(self):
        with processes.virtual_display(self.folder) as environment:
            socket_file = Path("/tmp/.X11-unix") / environment["DISPLAY"].replace(":", "X")
            self.assertTrue(socket_file.exists())
        self.assertFalse(socket_file.exists())

    def test_a_service_gets_its_environment(self):
        service = self.service('echo "$WORD"; sleep 60', WORD="bluebonnet")
        service.wait_for(lambda: service.logged("(bluebonnet)"))

    def test_a_service_that_ignores_the_signal_to_end_is_killed(self):
        service = self.service("trap '' TERM; echo ready; while :; do sleep 0.05; done")
        service.wait_for(lambda: service.logged("(ready)"))
        processes.end([service.pid], processes.is_alive, seconds=0.2)
        self.assertEqual(service.process.wait(10), -signal.SIGKILL)

    def test_a_service_ends_when_its_parent_is_killed(self):
        script = (
            "import sys; sys.path.insert(0, sys.argv[1]); import pathlib, processes, time\n"
            "log = pathlib.Path(sys.argv[2])\n"
            "print(processes.Service('it', ['sleep', '60'], log).pid, flush=True); time.sleep(60)")
        library = Path(processes.__file__).parent
        with subprocess.Popen(
            [sys.executable, "-B", "-c", script, library, self.folder / "log"], stdout=subprocess.PIPE, text=True
        ) as parent:
            pid = int(parent.stdout.readline())
            self.assertTrue(processes.is_alive(pid))
            parent.kill()
        deadline = time.monotonic() + 10
        while processes.is_alive(pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertFalse(processes.is_alive(pid))


class Trees(unittest.TestCase):
    def test_children_of_children_are_descendants(self):
        with subprocess.Popen(["sh", "-c", "sh -c 'sleep 60; :' & wait"]) as process:
            deadline = time.monotonic() + 10
            while len(found := processes.descendants(process.pid)) < 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            processes.end([process.pid, *found], processes.is_alive)
        self.assertEqual(len(found), 2)

    def test_a_process_is_recognized_by_its_arguments(self):
        self.assertTrue(processes.has_argument(os.getpid(), "python"))
        self.assertFalse(processes.has_argument(os.getpid(), "no such argument"))
        self.assertFalse(processes.has_argument(1 << 30, "python"))
