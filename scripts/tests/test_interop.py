import datetime
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import certificates
import interop
import nginx
import processes


class Templates(unittest.TestCase):
    def test_every_name_in_a_template_is_replaced(self):
        text = nginx.fill("listen @HTTP_PORT@; root @DIR@/www; mail a@b.c;", {"HTTP_PORT": 80, "DIR": Path("/x")})
        self.assertEqual(text, "listen 80; root /x/www; mail a@b.c;")

    def test_a_name_in_a_template_without_a_value_is_an_error(self):
        with self.assertRaises(KeyError):
            nginx.fill("root @DIR@;", {})


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)


@unittest.skipUnless(nginx.find(), "nginx is not installed")
class StartingNginx(InFolder):
    TEMPLATE = "@MAIN@\nevents { }\nhttp {\n@FOLDERS@\nserver { listen 127.0.0.1:@HTTP_PORT@; return 200 @WORD@; }\n}"

    def test_nginx_serves_until_it_is_stopped(self):
        with nginx.Nginx(nginx.find(), self.folder, self.TEMPLATE, {"WORD": "hello"}) as web:
            port = web.ports["HTTP_PORT"]
            self.assertTrue(interop.responds(f"http://127.0.0.1:{port}/", None))
        self.assertFalse(processes.accepts(port))

    def test_a_wrong_template_is_a_problem_with_the_log_of_nginx(self):
        with self.assertRaisesRegex(processes.Problem, 'nginx ended; its log says:\n.*unknown directive "sever"'):
            nginx.Nginx(nginx.find(), self.folder, "@MAIN@\nsever { }").start()


@unittest.skipUnless(certificates.has_openssl(), "openssl is not installed")
class Certificates(InFolder):
    def verified(self, name):
        done = subprocess.run(
            ["openssl", "verify", "-CAfile", self.folder / "authority.pem", self.folder / f"{name}.pem"],
            capture_output=True, text=True)
        return done.returncode == 0, done.stdout + done.stderr

    def test_an_authority_signs_certificates(self):
        authority = certificates.Authority(self.folder)
        authority.issue("good", "DNS:one.example,IP:127.0.0.1")
        authority.issue("old", ends=datetime.datetime(2020, 2, 1, tzinfo=datetime.timezone.utc),
                        starts=datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc))
        certificates.self_signed(self.folder, "alone", ["subjectAltName=DNS:localhost"])
        self.assertTrue(self.verified("good")[0])
        self.assertIn("expired", self.verified("old")[1])
        self.assertIn("self-signed", self.verified("alone")[1].replace("self signed", "self-signed"))
        text = subprocess.run(["openssl", "x509", "-noout", "-text", "-in", self.folder / "good.pem"],
                              capture_output=True, text=True, check=True).stdout
        self.assertIn("DNS:one.example, IP Address:127.0.0.1", text)

    def test_a_certificate_that_openssl_refuses_is_a_problem(self):
        with self.assertRaisesRegex(processes.Problem, "`openssl ca` failed:\n."):
            certificates.Authority(self.folder).issue("bad", "NONSENSE:x")


class FakeServers:
    """A stand-in for `interop.Servers` that records how it is called."""

    def __init__(self):
        self.environment = {"BLUEBONNET_INTEROP_NGINX": "http://127.0.0.1:1"}
        self.calls = []

    def start(self, outlives_us=False):
        self.calls.append("start")

    def stop(self):
        self.calls.append("stop")


class Running(InFolder):
    def run_with(self, *command, servers=None):
        self.servers = servers or FakeServers()
        return interop.run_with(lambda: self.servers, list(command))

    def test_the_status_of_the_command_is_returned(self):
        self.assertEqual(self.run_with("sh", "-c", "exit 7"), 7)
        self.assertEqual(self.run_with("sh", "-c", "kill -KILL $$"), 128 + 9)
        self.assertEqual(self.servers.calls, ["start", "stop"])

    def test_the_command_finds_the_servers(self):
        self.assertEqual(self.run_with("sh", "-c", 'test "$BLUEBONNET_INTEROP_NGINX" = http://127.0.0.1:1'), 0)

    def test_a_command_that_does_not_exist_is_a_problem(self):
        with self.assertRaisesRegex(processes.Problem, "cannot run no-such-command: No such file"):
            self.run_with("no-such-command")
        self.assertEqual(self.servers.calls, ["start", "stop"])

    def test_servers_that_do_not_start_are_stopped(self):
        class Broken(FakeServers):
            def start(self, outlives_us=False):
                super().start()
                raise processes.Problem("nginx ended")

        with self.assertRaisesRegex(processes.Problem, "nginx ended"):
            self.run_with("true", servers=Broken())
        self.assertEqual(self.servers.calls, ["start", "stop"])

    def test_a_signal_ends_the_command_and_its_children(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            with self.subTest(number):
                # The process that started the tests may have set it to be ignored, as nohup does.
                self.addCleanup(signal.signal, number, signal.signal(number, signal.SIG_DFL))
                pids = self.folder / f"pids-{number}"
                # The thread sends the signal when the command has started its child.
                os.mkfifo(pids)
                found = []

                def end_us():
                    found.extend(map(int, pids.read_text().split()))
                    os.kill(os.getpid(), number)

                thread = threading.Thread(target=end_us)
                thread.start()
                before = signal.getsignal(signal.SIGTERM)
                script = f"trap '' INT; sleep 60 & echo $$ $! >{pids}; wait"
                run, interop.run = interop.run, lambda command, environment: run(command, environment, seconds=0.5)
                try:
                    self.assertEqual(self.run_with("sh", "-c", script), 128 + number)
                finally:
                    interop.run = run
                thread.join()
                self.assertEqual(self.servers.calls, ["start", "stop"])
                self.assertEqual([pid for pid in found if processes.is_alive(pid)], [])
                self.assertEqual(len(found), 2)
                self.assertEqual(signal.getsignal(signal.SIGTERM), before)


class Remembering(InFolder):
    def test_servers_that_were_left_running_are_found_and_stopped(self):
        remembered = interop.Remembered(self.folder / "made" / "servers.json")
        self.assertIsNone(remembered.read())
        servers = FakeServers()
        servers.folder = self.folder / "servers"
        servers.folder.mkdir()
        script = "import sys, time; time.sleep(60)"
        own = subprocess.Popen([sys.executable, "-c", script, servers.folder / "nginx.conf"])
        other = subprocess.Popen([sys.executable, "-c", script])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        servers.services = [FakeService(own.pid), FakeService(other.pid)]
        remembered.write(servers)
        self.assertEqual(remembered.read()["environment"], servers.environment)
        with self.assertRaisesRegex(processes.Problem, "already running"):
            interop.start(lambda: servers, remembered)
        remembered.stop()
        self.assertEqual(own.wait(10), -signal.SIGTERM)
        # A process without the folder among its arguments is not ours: it is not stopped.
        self.assertIsNone(other.poll())
        self.assertFalse(servers.folder.exists())
        self.assertIsNone(remembered.read())
        remembered.stop()

    def test_servers_whose_folder_does_not_exist_are_not_running(self):
        remembered = interop.Remembered(self.folder / "servers.json")
        for text in ["", "{}", "[]", '{"folder": "/no/such/folder"}']:
            remembered.file.write_text(text)
            self.assertIsNone(remembered.read())

    def test_a_shell_understands_the_exports(self):
        lines = interop.exports({"A": "http://127.0.0.1:1", "B": "it's here"})
        done = subprocess.run(["sh", "-c", f'{lines}printf "%s|%s" "$A" "$B"'], capture_output=True, text=True)
        self.assertEqual(done.stdout, "http://127.0.0.1:1|it's here")


class FakeService:
    def __init__(self, pid):
        self.pid = pid


class Missing(InFolder):
    def test_every_missing_program_is_named(self):
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = str(self.folder)
        find, nginx.find = nginx.find, lambda: None
        self.addCleanup(setattr, nginx, "find", find)
        apache, interop.apache = interop.apache, lambda: None
        self.addCleanup(setattr, interop, "apache", apache)
        with self.assertRaisesRegex(processes.Problem, "^not installed: .*; run scripts/bootstrap --test$") as caught:
            interop.Servers(self.folder)
        for name in (
            "openssl", "zstd", "dbus-daemon", "gnome-keyring-daemon", "nginx", "apache2", "h2o", "caddy", "httpbin",
        ):
            self.assertIn(f" {name}", str(caught.exception))


@unittest.skipUnless(shutil.which("zstd"), "zstd is not installed")
class ServedFiles(InFolder):
    def test_served_files_are_as_long_as_their_names_say(self):
        compressor = self.folder / "python"
        compressor.write_text("#!/bin/sh\nexec cat\n")
        compressor.chmod(0o755)
        interop.make_files(self.folder / "www", compressor)
        sizes = {file.name: file.stat().st_size for file in (self.folder / "www").iterdir()}
        for name in ["1m.bin", "1m.txt", "1m.txt.br"]:
            self.assertEqual(sizes[name], 1 << 20)
        self.assertEqual(sizes["tiny.txt"], 13)
        self.assertEqual(sizes["empty.txt"], 0)
