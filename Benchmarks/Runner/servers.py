"""What runs beside the clients: nginx for everything but uploads, the upload sink, and what keeps the processors awake."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from certificates import Certificates

CONFIGURATION = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx-error.log warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    tcp_nodelay on;
    keepalive_requests 1000000000;
    keepalive_timeout 3600s;
    client_max_body_size 0;
    open_file_cache max=16 inactive=3600s;
    types {{ application/json json; }}
    default_type application/octet-stream;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    server {{
        listen 127.0.0.1:{port};
        root {folder};
        location = /tiny {{
            default_type text/plain;
            return 200 "{tiny}";
        }}
    }}
    {tls}
}}
"""

# The same over TLS. One cipher and one group, so that no client pays for another one's taste. `/once` closes the connection
# after each response, and says by its length whether the handshake was that of an earlier session.
TLS_CONFIGURATION = """
    ssl_certificate {server};
    ssl_certificate_key {key};
    ssl_protocols TLSv1.3;
    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
    ssl_ecdh_curve X25519;
    map $ssl_session_reused $tls_greeting {{
        default "{tiny}";
        r "{resumed}";
    }}
    server {{
        listen 127.0.0.1:{tls_port} ssl;
        ssl_session_cache off;
        ssl_session_tickets off;
        root {folder};
        location = /once {{
            keepalive_timeout 0;
            return 200 $tls_greeting;
        }}
    }}
    server {{
        listen 127.0.0.1:{resuming_port} ssl;
        ssl_session_cache off;
        ssl_session_tickets on;
        location = /once {{
            keepalive_timeout 0;
            return 200 $tls_greeting;
        }}
    }}
"""
RESUMED = b"Hello again, World!"


def find_nginx() -> str | None:
    """Where nginx is; its package puts it in a folder that not every user has in PATH."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def free_ports(count: int) -> list[int]:
    """Ports that are free, and different."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


class Nginx:
    """One nginx with one worker, its own configuration and free ports, for as long as the block runs."""

    def __init__(self, executable: str, folder: Path, tiny: bytes, certificates: Certificates | None = None):
        self.executable, self.folder, self.tiny, self.certificates = executable, folder, tiny, certificates

    def __enter__(self):
        self.port, self.tls_port, self.resuming_port = free_ports(3)
        user = "user root;" if os.geteuid() == 0 else ""
        configuration = self.folder / "nginx.conf"
        configuration.write_text(
            CONFIGURATION.format(
                user=user, folder=self.folder, port=self.port, tiny=self.tiny.decode(), tls=self.tls_configuration())
        )
        command = [self.executable, "-p", str(self.folder), "-c", str(configuration), "-e", "stderr"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def tls_configuration(self) -> str:
        if self.certificates is None:
            return ""
        return TLS_CONFIGURATION.format(
            server=self.certificates.server, key=self.certificates.key, folder=self.folder, tls_port=self.tls_port,
            resuming_port=self.resuming_port, tiny=self.tiny.decode(), resumed=RESUMED.decode())

    def wait_until_ready(self):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("nginx did not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def tls_url(self, resuming: bool) -> str:
        """By name: not every client takes a certificate for an address."""
        return f"https://localhost:{self.resuming_port if resuming else self.tls_port}"


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


# Ends with the process that started it, whatever becomes of that.
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
    """Keeps every processor from sleeping: a loop of the lowest priority on each, which gives way to everything else at once.

    On a virtual machine a sleeping processor is woken by way of the hypervisor, which is charged to whoever wakes it. Clients
    gain and lose by this in different measure. Where such a loop is not allowed, the processors sleep.
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
            self.say("the processors cannot be kept awake here: these are figures as without --awake")
        return self

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()
            loop.stdout.close()
        self.loops = []
