"""The servers of the interop tests that are there for HTTP/2. nginx, which also speaks it, is with the others."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import nginx
import processes

APACHE_MODULES = Path("/usr/lib/apache2/modules")
ECHO = """#!/usr/bin/env python3
import sys
body = sys.stdin.buffer.read()
sys.stdout.buffer.write(b"Content-Type: application/octet-stream\\r\\n\\r\\n" + body)
"""
PROGRAMS = ("nghttpd", "h2o", "caddy")


def find(name: str) -> str | None:
    """The path of a program; Debian has some of them in a folder that not every user has in PATH."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def missing() -> list[str]:
    """The programs that are not installed."""
    return [name for name in PROGRAMS if find(name) is None]


def launch(servers) -> list[Callable[[], None]]:
    """Launches all; each of the functions waits for one."""
    return [nghttpd(servers), h2o(servers), caddy(servers), apache(servers), hypercorn(servers)]


def on_port(servers, variable: str, name: str, command: Callable[[int], list], **environment: str):
    """Launches a server that cannot report a port which the system chose."""
    port = processes.free_ports(1)[0]
    service = servers.launch(name, command(port), **environment)

    def wait():
        service.wait_for(lambda: processes.accepts(port))
        servers.offer(variable, f"https://localhost:{port}")

    return wait


def configuration(servers, name: str, template: str, port: int, **values: object) -> Path:
    file = servers.folder / name
    text = (servers.templates / template).read_text()
    file.write_text(nginx.fill(text, {"DIR": servers.folder, "PORT": port, **values}))
    return file


def nghttpd(servers):
    folder = servers.folder
    return on_port(servers, "NGHTTPD", "nghttpd", lambda port: [
        find("nghttpd"), "--address=127.0.0.1", f"--htdocs={folder / 'www'}", "--echo-upload",
        "--max-concurrent-streams=1000", "--trailer=x-checksum: abc", port, folder / "localhost.key", folder / "localhost.pem",
    ])


def h2o(servers):
    # Started as root, it wants the name of the user to become.
    user = "user: root" if os.geteuid() == 0 else ""
    return on_port(servers, "H2O", "h2o", lambda port: [
        find("h2o"), "-m", "worker", "-c", configuration(servers, "h2o.conf", "h2o.conf.in", port, USER=user),
    ])


def caddy(servers):
    folder = servers.folder
    return on_port(servers, "CADDY", "caddy", lambda port: [
        find("caddy"), "run", "--adapter", "caddyfile",
        "--config", configuration(servers, "Caddyfile", "Caddyfile.in", port),
    ], HOME=str(folder), XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder))


def apache(servers):
    # Apache sends a program the whole body before it reads what the program says.
    echo = servers.folder / "echo.py"
    echo.write_text(ECHO)
    echo.chmod(0o755)
    return on_port(servers, "APACHE_HTTP2", "apache-http2", lambda port: [
        find("apache2"), "-X", "-f",
        configuration(servers, "apache-http2.conf", "apache-http2.conf.in", port, MODULES=APACHE_MODULES),
    ])


def hypercorn(servers):
    folder = servers.folder
    service = servers.launch("hypercorn", [
        servers.python, "-m", "hypercorn", "--bind", "127.0.0.1:0",
        "--certfile", folder / "localhost.pem", "--keyfile", folder / "localhost.key",
        "http2_application:application",
    ], PYTHONPATH=str(servers.templates), PYTHONDONTWRITEBYTECODE="1", FILES=str(folder / "www"))

    def wait():
        port = service.wait_for(lambda: service.logged(r"Running on https://127\.0\.0\.1:(\d+)"))
        servers.offer("HYPERCORN", f"https://localhost:{port}")

    return wait
