"""The processes beside the clients: nginx for everything but uploads, the upload sink, and loops that keep processors awake."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import nginx
from certificates import Certificate

RESUMED = b"Hello again, World!"
HERE = Path(__file__).resolve().parent


class Web(nginx.Nginx):
    """nginx with the files of a folder, while the `with` block runs; with a certificate, also over TLS."""

    def __init__(self, executable: str, folder: Path, tiny: bytes, certificate: Certificate | None = None):
        values = {"TINY": tiny.decode()}
        tls = ""
        if certificate:
            tls = (HERE / "nginx-tls.conf.in").read_text()
            values |= {"CERTIFICATE": certificate.certificate, "KEY": certificate.key, "RESUMED": RESUMED.decode()}
        template = (HERE / "nginx.conf.in").read_text().replace("@TLS@", tls)
        super().__init__(executable, folder, template, values)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.ports['HTTP_PORT']}{path}"

    def tls_url(self, resuming: bool) -> str:
        """The URL of nginx over TLS. It has a name, since not every client takes a certificate for an address."""
        return f"https://localhost:{self.ports['RESUMING_PORT' if resuming else 'TLS_PORT']}"

    def http2_url(self) -> str:
        """The URL of nginx over TLS with HTTP/2."""
        return f"https://localhost:{self.ports['HTTP_TWO_PORT']}"


class Sink:
    """The upload sink (`Sources/UploadSink`), which ends when its standard input closes."""

    def __init__(self, executable: Path):
        self.executable = executable

    def __enter__(self):
        self.process = subprocess.Popen([self.executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the upload sink did not start")
        self.port = int(line)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/upload"


class Echo(Sink):
    """The WebSocket server that echoes (`Sources/EchoServer`)."""

    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/"


class Redis:
    """A Redis server at a Unix-domain socket, or nothing where none is installed."""

    def __init__(self, folder: Path):
        self.executable = shutil.which("redis-server") or shutil.which("valkey-server")
        self.socket = folder / "redis.sock"
        self.process = None

    def __enter__(self):
        if self.executable:
            options = ["--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no", "--dir", self.socket.parent]
            self.process = subprocess.Popen(
                [self.executable, *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            for _ in range(500):
                if self.socket.exists() or self.process.poll() is not None:
                    break
                time.sleep(0.01)
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.kill()
            self.process.wait()

    def url(self) -> str | None:
        return f"redis+unix://{self.socket}" if self.socket.exists() else None


# Ends when the process that started it has ended, for whatever reason.
SPIN = """
import os, sys
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
os.sched_setaffinity(0, {int(sys.argv[1])})
parent = int(sys.argv[2])
print("awake", flush=True)
while os.getppid() == parent:
    for _ in range(100_000):
        pass
"""


class Awake:
    """Keeps every processor from sleeping: a loop of the lowest priority on each, which any other process interrupts at once.

    On a virtual machine a sleeping processor is woken through the hypervisor, and the process that wakes it pays for that. Some
    clients get cheaper without it, others dearer. Where such a loop is not allowed, the processors sleep.
    """

    def __init__(self, say):
        self.say = say

    def __enter__(self):
        self.loops = [
            subprocess.Popen(
                [sys.executable, "-c", SPIN, str(processor), str(os.getpid())],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            )
            for processor in sorted(os.sched_getaffinity(0))
        ]
        if any(loop.stdout.readline() != "awake\n" for loop in self.loops):
            self.__exit__()
            self.say("the processors cannot be kept awake on this machine: the figures are those without --awake")
        return self

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()
            loop.stdout.close()
        self.loops = []
