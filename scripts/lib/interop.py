"""The servers of the interop tests, and the files and the certificates that they serve."""

import contextlib
import datetime
import hashlib
import http.client
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import certificates
import interop_http2
import interop_proxies
import nginx
import processes
from processes import Problem, Service

PREFIX = "BLUEBONNET_INTEROP_"
APACHE_MODULES = Path("/usr/lib/apache2/modules")
LISTENING = {
    "gunicorn": r"Listening at: http://127\.0\.0\.1:(\d+) ",
    "openssl": r"^ACCEPT 127\.0\.0\.1:(\d+)",
    "dbus": r"^(unix:\S+)$",
    "websockets": r"Listening at: (\d+ \d+ \d+ \d+) ",
}


class Servers:
    """All servers, in a new folder. The tests find them by the variables in `environment`."""

    def __init__(self, repository: Path):
        self.templates = repository / "Tests" / "InteropTests" / "Servers"
        self.built = repository / ".build-interop"
        self.python = self.built / "venv" / "bin" / "python"
        self.environment: dict[str, str] = {}
        self.services: list[Service] = []
        self.outlives_us = False
        self.apache_port = 0  # chosen by `apache`
        self.check()
        # Not inside the repository: the path of a Unix-domain socket may be 107 bytes at most.
        self.folder = Path(tempfile.mkdtemp(prefix="bluebonnet-interop."))

    def check(self):
        """Raises a `Problem` with all missing programs, before anything is started."""
        missing = [name for name in ("openssl", "zstd", "dbus-daemon", "gnome-keyring-daemon") if shutil.which(name) is None]
        if nginx.find() is None:
            missing.append("nginx")
        if apache() is None:
            missing.append("apache2")
        missing += interop_http2.missing()
        missing += interop_proxies.missing(self)
        if not os.access(self.python, os.X_OK):
            missing.append("httpbin")
        if missing:
            raise Problem(f"not installed: {', '.join(missing)}; run scripts/bootstrap --test")

    def start(self, outlives_us: bool = False):
        self.outlives_us = outlives_us
        make_files(self.folder / "www", self.python)
        authority = certificates.Authority(self.folder)
        for name, names, starts, ends in [
            ("localhost", certificates.HERE, None, None),
            ("expired", certificates.HERE, day(2020, 1, 1), day(2020, 2, 1)),
            ("wrong-host", "DNS:elsewhere.example", None, None),
        ]:
            authority.issue(name, names, starts, ends)
        alone = certificates.self_signed(self.folder, "self-signed", [f"subjectAltName={certificates.HERE}"])

        self.httpie()
        # All are launched first and awaited afterwards, so that they start at the same time.
        waiting: list[Callable[[], None]] = [
            self.httpbin(),
            self.form_parsers(),
            self.apache(),
            self.aiohttp(),
            self.websockets(),
            self.keyring(),
            self.openssl("tls12", "localhost", "-tls1_2"),
            self.openssl("tls13", "localhost", "-tls1_3", "-alpn", "http/1.1"),
            self.openssl("expired", "expired"),
            self.openssl("self-signed", "self-signed"),
            self.openssl("wrong-host", "wrong-host"),
            *interop_http2.launch(self),
            *interop_proxies.launch(self, authority),
        ]
        self.nginx()
        for wait in waiting:
            wait()
        # A proxy that the environment names is not for servers of this machine.
        self.environment["no_proxy"] = "*"
        self.offer("CA", authority.own.certificate)
        self.offer("SELF_SIGNED_CERTIFICATE", alone.certificate)
        self.offer("FILES", self.folder / "www")

    def offer(self, name: str, value: object):
        self.environment[PREFIX + name] = str(value)

    def launch(self, name: str, command: list, **environment: str) -> Service:
        service = Service(name, command, self.folder / f"{name}.log", outlives_us=self.outlives_us, **environment)
        self.services.append(service)
        return service

    def nginx(self):
        (self.folder / "basic-users").write_text("ada:{PLAIN}secret\n")
        template = (self.templates / "nginx.conf.in").read_text()
        server = nginx.Nginx(str(nginx.find()), self.folder, template, {"APACHE": self.apache_port})
        server.start(self.outlives_us)
        self.services.append(server.service)
        self.offer("NGINX", f"http://127.0.0.1:{server.ports['HTTP_PORT']}")
        self.offer("NGINX_TLS", f"https://localhost:{server.ports['TLS_PORT']}")
        self.offer("NGINX_IPV6", f"http://[::1]:{server.ports['SIX_PORT']}")
        self.offer("NGINX_IPV6_TLS", f"https://[::1]:{server.ports['SIX_TLS_PORT']}")
        self.offer("NGINX_IMPATIENT", f"http://127.0.0.1:{server.ports['IMPATIENT_PORT']}")
        self.offer("NGINX_ENDING", f"https://localhost:{server.ports['ENDING_PORT']}")
        self.offer("NGINX_SOCKET", self.folder / "nginx.sock")
        self.offer("NGINX_ORIGIN", f"http://127.0.0.1:{server.ports['ORIGIN_PORT']}")
        self.offer("NGINX_CACHE", f"http://127.0.0.1:{server.ports['CACHE_PORT']}")
        self.offer("NGINX_APACHE_CACHE", f"http://127.0.0.1:{server.ports['APACHE_CACHE_PORT']}")

    def apache(self) -> Callable[[], None]:
        # Apache cannot report a port that the system chose either. Should another process take it
        # in between, the test run fails with Apache's message.
        port = self.apache_port = processes.free_ports(1)[0]
        configuration = self.folder / "apache.conf"
        # Apache does not serve as root, and its own user may not look into our folder.
        if os.geteuid() == 0:
            self.folder.chmod(0o711)
        # RFC 7616 §3.4.2: Apache keeps the hash of user, realm and password.
        key = hashlib.md5(b"ada:Private files:secret").hexdigest()
        (self.folder / "digest-users").write_text(f"ada:Private files:{key}\n")
        configuration.write_text(nginx.fill((self.templates / "apache.conf.in").read_text(), {
            "DIR": self.folder, "PORT": port, "MODULES": APACHE_MODULES,
        }))
        service = self.launch("apache", [apache(), "-X", "-f", configuration])

        def wait():
            service.wait_for(lambda: responds(f"http://127.0.0.1:{port}/tiny.txt", None))
            self.offer("APACHE", f"http://127.0.0.1:{port}")

        return wait

    def aiohttp(self) -> Callable[[], None]:
        service = self.launch("aiohttp", [self.python, self.templates / "aiohttp_files.py", self.folder / "www"])

        def wait():
            port = service.wait_for(lambda: service.logged(LISTENING["gunicorn"]))
            self.offer("AIOHTTP", f"http://127.0.0.1:{port}")

        return wait

    def websockets(self) -> Callable[[], None]:
        self.offer("PYTHON", self.python)
        service = self.launch("websockets", [
            self.python, self.templates / "websocket_servers.py",
            self.folder / "localhost.pem", self.folder / "localhost.key",
        ])

        def wait():
            ports = service.wait_for(lambda: service.logged(LISTENING["websockets"])).split()
            self.offer("WEBSOCKETS", f"ws://127.0.0.1:{ports[0]}")
            self.offer("AIOHTTP_WEBSOCKET", f"ws://127.0.0.1:{ports[1]}")
            self.offer("WEBSOCKETS_TLS", f"wss://localhost:{ports[2]}")
            self.offer("AIOHTTP_WEBSOCKET_TLS", f"wss://localhost:{ports[3]}")

        return wait

    def keyring(self) -> Callable[[], None]:
        """A keyring on a bus of its own. It reads its password from its input."""
        password = self.folder / "keyring-password"
        password.write_text("secret")
        bus = self.launch("dbus", [
            "dbus-daemon", "--session", "--nofork", "--print-address", "--address", f"unix:dir={self.folder}",
        ])
        address = bus.wait_for(lambda: bus.logged(LISTENING["dbus"]))
        service = self.launch(
            "keyring",
            ["sh", "-c", 'exec gnome-keyring-daemon --foreground --unlock --components=secrets <"$1"', "sh", password],
            DBUS_SESSION_BUS_ADDRESS=address, XDG_RUNTIME_DIR=str(self.folder), XDG_DATA_HOME=str(self.folder))

        def wait():
            service.wait_for(lambda: has_owner(address, "org.freedesktop.secrets"))
            self.offer("KEYRING", address)

        return wait

    def httpbin(self) -> Callable[[], None]:
        return self.gunicorn("httpbin", "HTTPBIN", "httpbin:app", 16, "/status/200")

    def httpie(self):
        # A program and not a server: the tests of the command run it where scripts/bootstrap has
        # installed it.
        program = self.built / "httpie" / "bin" / "http"
        if os.access(program, os.X_OK):
            self.offer("HTTPIE", program)

    def form_parsers(self) -> Callable[[], None]:
        # Go's parser is used where scripts/bootstrap has built it.
        go = self.built / "form-parser-go"
        has_go = os.access(go, os.X_OK)
        if has_go:
            self.offer("FORM_PARSER_GO", go)
        return self.gunicorn(
            "form-parsers", "FORM_PARSERS", "form_parsers:app", 8, "/discard", b"",
            "--pythonpath", self.templates,
            PYTHONDONTWRITEBYTECODE="1", FORM_PARSER_GO=str(go) if has_go else "")

    def gunicorn(
        self, name: str, variable: str, application: str, threads: int, path: str, body: bytes | None = None,
        *options: object, **environment: str,
    ) -> Callable[[], None]:
        service = self.launch(name, [
            self.python, "-m", "gunicorn", "--bind", "127.0.0.1:0", "--worker-class", "gthread",
            "--threads", threads, "--keep-alive", 60, "--no-control-socket", *options,
            "--chdir", self.folder, application,
        ], **environment)

        def wait():
            port = service.wait_for(lambda: service.logged(LISTENING["gunicorn"]))
            # The master listens before its worker has imported the application.
            service.wait_for(lambda: responds(f"http://127.0.0.1:{port}{path}", body))
            self.offer(variable, f"http://127.0.0.1:{port}")

        return wait

    def openssl(self, name: str, certificate: str, *options: str) -> Callable[[], None]:
        service = self.launch(name, [
            "openssl", "s_server", "-www", "-accept", "127.0.0.1:0",
            "-cert", self.folder / f"{certificate}.pem", "-key", self.folder / f"{certificate}.key", *options,
        ])

        def wait():
            port = int(service.wait_for(lambda: service.logged(LISTENING["openssl"])))
            service.wait_for(lambda: processes.accepts(port))
            self.offer(name.upper().replace("-", "_"), f"https://localhost:{port}")

        return wait

    def stop(self):
        stop(self.folder, [service.pid for service in self.services])


def has_owner(bus: str, name: str) -> bool:
    """Whether a program on a bus has a name."""
    done = subprocess.run(
        ["dbus-send", f"--bus={bus}", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
         "org.freedesktop.DBus.NameHasOwner", f"string:{name}"],
        capture_output=True, text=True)
    return "boolean true" in done.stdout


def apache() -> str | None:
    """The path of Apache, which Debian puts in a folder that not every user has in PATH."""
    return shutil.which("apache2") or shutil.which("apache2", path="/usr/sbin:/sbin")


def stop(folder: Path, pids: list[int]):
    """Ends the servers of a folder, and removes the folder."""
    # Each process has the folder, or a file in it, among its arguments.
    processes.end(pids, lambda pid: processes.has_argument(pid, str(folder)))
    shutil.rmtree(folder, ignore_errors=True)


def day(year: int, month: int, number: int) -> datetime.datetime:
    return datetime.datetime(year, month, number, tzinfo=datetime.timezone.utc)


def responds(url: str, body: bytes | None) -> bool:
    """Whether a server responds with a success. Proxies of the environment are not used."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with contextlib.suppress(urllib.error.URLError, http.client.HTTPException, OSError):
        opener.open(url, data=body, timeout=5).close()
        return True
    return False


def make_files(folder: Path, python: Path):
    """Makes the files that nginx serves; the same bytes on every run."""
    folder.mkdir()
    (folder / "tiny.txt").write_text("Hello, world!")
    (folder / "empty.txt").write_text("")
    (folder / "1m.bin").write_bytes(random.Random(0).randbytes(1 << 20))  # does not compress
    (folder / "16m.bin").write_bytes(random.Random(1).randbytes(16 << 20))
    text = folder / "1m.txt"
    text.write_text("".join(f"{line:062d} \n" for line in range(16384)))
    items = [{"id": number, "name": f"item {number}"} for number in range(100)]
    (folder / "data.json").write_text(json.dumps({"items": items}) + "\n")
    # nginx cannot compress with Brotli or zstd: the files are made here. httpbin has brotlicffi.
    compress = "import brotlicffi, sys; sys.stdout.buffer.write(brotlicffi.compress(sys.stdin.buffer.read()))"
    for command, name in [([python, "-c", compress], "1m.txt.br"), (["zstd", "-q", "-19", "-c"], "1m.txt.zst")]:
        with text.open("rb") as plain, (folder / name).open("wb") as compressed:
            done = subprocess.run(command, stdin=plain, stdout=compressed, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Problem(f"could not make {name}; run scripts/bootstrap --test\n{done.stderr.strip()}")


def exports(environment: dict[str, str]) -> str:
    """The variables as lines for a shell."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in environment.items())


class Remembered:
    """The servers that `start` left running, in a file that `stop` and `env` find."""

    def __init__(self, file: Path):
        self.file = file

    def write(self, servers: Servers):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps({
            "folder": str(servers.folder),
            "pids": [service.pid for service in servers.services],
            "environment": servers.environment,
        }))

    def read(self) -> dict | None:
        """The content of the file, if the folder of the servers still exists."""
        try:
            found = json.loads(self.file.read_text())
            return found if Path(found["folder"]).is_dir() else None
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def stop(self):
        if found := self.read():
            stop(Path(found["folder"]), found["pids"])
        self.file.unlink(missing_ok=True)


class Ended(BaseException):
    """A signal asked us to end. It is not an `Exception`, so that no handler takes it for an error."""

    def __init__(self, number: int):
        self.number = number
        self.status = 128 + number


ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@contextlib.contextmanager
def handling(handler):
    """Handles the signals that end a process in the block. Ignored signals, as under nohup, stay ignored."""
    before = {number: signal.getsignal(number) for number in ENDING}
    caught = [number for number in ENDING if before[number] != signal.SIG_IGN]
    for number in caught:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, before[number])


def ending_by_exception():
    """Raises `Ended` in the block for signals that end a process."""

    def end(number: int, _):
        raise Ended(number)

    return handling(end)


def undisturbed():
    """Ignores signals in the block, which stops processes and must be completed."""
    return handling(signal.SIG_IGN)


def run(command: list[str], environment: dict[str, str], seconds: float = processes.SECONDS_TO_END) -> int:
    """Runs a command to its end and returns its status, as a shell would.

    When a signal ends us, the command and everything that it started is ended, too.
    """
    try:
        # Signals are collected until the process is known that they must end.
        came: list[int] = []
        with handling(lambda number, _: came.append(number)):
            process = subprocess.Popen(command, env={**os.environ, **environment})
        if came:
            raise Ended(came[0])
        status = process.wait()
        return status if status >= 0 else 128 - status
    except OSError as error:
        raise Problem(f"cannot run {command[0]}: {error.strerror}") from None
    except Ended as ended:
        with undisturbed():
            family = [process.pid, *processes.descendants(process.pid)]
            if ended.number == signal.SIGINT:
                # Ctrl-C also reached the command, which may print something before it ends.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(seconds)
            processes.end(family, processes.is_alive, seconds)
            process.wait()
        raise


def run_with(servers: Callable[[], Servers], command: list[str]) -> int:
    """Runs a command with servers, which end with the command or with us."""
    try:
        with ending_by_exception():
            started = servers()
            try:
                started.start()
                return run(command, started.environment)
            finally:
                with undisturbed():
                    started.stop()
    except Ended as ended:
        return ended.status


def start(servers: Callable[[], Servers], remembered: Remembered) -> dict[str, str]:
    """Starts servers that run on after us; returns the variables by which they are found."""
    if remembered.read():
        raise Problem("already running; `scripts/interop-servers env` prints the addresses, `stop` ends them")
    with ending_by_exception():
        started = servers()
        try:
            started.start(outlives_us=True)
            remembered.write(started)
        except BaseException:
            with undisturbed():
                started.stop()
            raise
    return started.environment
