"""The proxies of the interop tests: squid, nghttpx, tinyproxy, microsocks, Dante, Twisted and
mitmproxy.

Each listens on 127.0.0.1 and, on the same port, on ::1. User and password are those of the other
servers, ada and secret.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable

import nginx
import processes

# Debian's names; some are in folders that not every user has in PATH.
PROGRAMS = {
    "squid": "squid", "nghttpx": "nghttp2-proxy", "tinyproxy": "tinyproxy-bin", "microsocks": "microsocks", "danted": "dante-server",
}


def find(program: str) -> str | None:
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")


def mitmdump(servers):
    return servers.built / "mitmproxy" / "bin" / "mitmdump"


def twist(servers):
    return servers.built / "venv" / "bin" / "twist"


def missing(servers) -> list[str]:
    """The programs that are not installed."""
    found = [package for program, package in PROGRAMS.items() if find(program) is None]
    programs = {"mitmproxy": mitmdump(servers), "twisted": twist(servers)}
    return found + [package for package, program in programs.items() if not os.access(program, os.X_OK)]


def launch(servers, authority) -> list[Callable[[], None]]:
    """Starts all; the functions wait until they are ready, and offer their variables."""
    ports = processes.free_ports(15)
    tiny, tiny_guarded, micro, micro_guarded, dante, dante_guarded, mitm, mitm_guarded, *ports = ports
    twisted, h2, h2_guarded, *squid = ports
    return [
        start_squid(servers, **dict(zip(("OPEN", "TLS", "GUARDED", "TLS_GUARDED"), squid))),
        start_nghttpx(servers, "NGHTTPX", h2, squid[0]),
        start_nghttpx(servers, "NGHTTPX_GUARDED", h2_guarded, squid[2]),
        start_tinyproxy(servers, "TINYPROXY", tiny, ""),
        start_tinyproxy(servers, "TINYPROXY_GUARDED", tiny_guarded, "BasicAuth ada secret"),
        start_microsocks(servers, "MICROSOCKS", micro),
        start_microsocks(servers, "MICROSOCKS_GUARDED", micro_guarded, "-u", "ada", "-P", "secret"),
        start_dante(servers, "DANTE", dante, "none"),
        *([start_dante(servers, "DANTE_GUARDED", dante_guarded, "username")] if may_mount() else []),
        start_twisted(servers, "TWISTED", twisted),
        start_mitmproxy(servers, authority, "MITMPROXY", mitm),
        start_mitmproxy(servers, authority, "MITMPROXY_GUARDED", mitm_guarded, "--proxyauth", "ada:secret"),
    ]


def start_squid(servers, **ports: int) -> Callable[[], None]:
    # It does not serve as root, and its own user may not look into our folder.
    if os.geteuid() == 0:
        servers.folder.chmod(0o711)
    key = hashlib.md5(b"ada:proxy:secret").hexdigest()
    (servers.folder / "squid-digest-users").write_text(f"ada:proxy:{key}\n")
    hashed = subprocess.run(["openssl", "passwd", "-apr1", "secret"], capture_output=True, text=True, check=True)
    (servers.folder / "squid-users").write_text(f"ada:{hashed.stdout}")
    configuration = fill(servers, "squid.conf", ports)
    service = servers.launch("squid", [find("squid"), "-N", "-d", "1", "-f", configuration])

    def wait():
        for port in ports.values():
            service.wait_for(lambda: listens(port))
        servers.offer("SQUID", f"http://127.0.0.1:{ports['OPEN']}")
        servers.offer("SQUID_TLS", f"https://localhost:{ports['TLS']}")
        servers.offer("SQUID_GUARDED", f"http://127.0.0.1:{ports['GUARDED']}")
        servers.offer("SQUID_TLS_GUARDED", f"https://localhost:{ports['TLS_GUARDED']}")

    return wait


def start_nghttpx(servers, variable: str, port: int, squid: int) -> Callable[[], None]:
    """It speaks HTTP/2 to its clients, and leaves the rest to squid."""
    name = variable.lower()
    configuration = servers.folder / f"{name}.conf"
    configuration.write_text("".join(f"{line}\n" for line in (
        f"frontend=127.0.0.1,{port}", f"frontend=::1,{port}", f"backend=127.0.0.1,{squid}", "http2-proxy=yes", "workers=1",
        f"private-key-file={servers.folder / 'localhost.key'}", f"certificate-file={servers.folder / 'localhost.pem'}",
        f"errorlog-file={servers.folder / f'{name}-errors.log'}", "accesslog-file=/dev/null",
    )))
    service = servers.launch(name, [find("nghttpx"), f"--conf={configuration}"])
    return waiting(servers, service, port, variable, f"https://localhost:{port}")


def start_tinyproxy(servers, variable: str, port: int, more: str) -> Callable[[], None]:
    configuration = servers.folder / f"{variable.lower()}.conf"
    configuration.write_text(f"Listen 127.0.0.1\nListen ::1\nPort {port}\nTimeout 60\nMaxClients 100\n{more}\n")
    service = servers.launch(variable.lower(), [find("tinyproxy"), "-d", "-c", configuration])
    return waiting(servers, service, port, variable, f"http://127.0.0.1:{port}")


def start_microsocks(servers, variable: str, port: int, *options: str) -> Callable[[], None]:
    # It reads no file, by which `stop` would know the process: the link is in the folder.
    program = servers.folder / variable.lower()
    program.symlink_to(str(find("microsocks")))
    # "::" is both families.
    service = servers.launch(variable.lower(), [program, "-i", "::", "-p", port, *options])
    return waiting(servers, service, port, variable, f"127.0.0.1:{port}")


def may_mount() -> bool:
    """Whether a process may have files of its own in place of those of the system."""
    command = ["unshare", "--user", "--map-root-user", "--mount", "mount", "--bind", "/dev/null", "/etc/passwd"]
    return subprocess.run(command, capture_output=True).returncode == 0


def start_dante(servers, variable: str, port: int, method: str) -> Callable[[], None]:
    name = variable.lower()
    text = (servers.templates / "danted.conf.in").read_text()
    configuration = servers.folder / f"{name}.conf"
    configuration.write_text(nginx.fill(text, {"PORT": port, "METHOD": method}))
    command: list = [find("danted"), "-f", configuration, "-p", servers.folder / f"{name}.pid"]
    if method == "username":
        # It knows the users of the system alone: it gets tables of users that nobody else sees.
        hashed = subprocess.run(["openssl", "passwd", "-6", "secret"], capture_output=True, text=True, check=True)
        (servers.folder / "passwd").write_text("".join(
            f"{user}:x:{number}:{number}::/:/bin/false\n" for user, number in [("root", 0), ("ada", 1), ("nobody", 65534)]
        ))
        (servers.folder / "shadow").write_text(f"ada:{hashed.stdout.strip()}:19000::::::\n")
        mounts = 'mount --bind "$1/passwd" /etc/passwd && mount --bind "$1/shadow" /etc/shadow && shift && exec "$@"'
        command = [
            "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounts, "sh", servers.folder, *command,
        ]
    service = servers.launch(name, command)
    return waiting(servers, service, port, variable, f"127.0.0.1:{port}")


def start_twisted(servers, variable: str, port: int) -> Callable[[], None]:
    # "::" is both families.
    command = [twist(servers), "--log-file", servers.folder / "twist.log", "socks", "-p", port, "-i", "::"]
    service = servers.launch(variable.lower(), command)
    return waiting(servers, service, port, variable, f"127.0.0.1:{port}")


def start_mitmproxy(servers, authority, variable: str, port: int, *options: str) -> Callable[[], None]:
    folder = servers.folder / variable.lower()
    service = servers.launch(variable.lower(), [
        mitmdump(servers), "--quiet", "--mode", f"regular@127.0.0.1:{port}", "--mode", f"regular@::1:{port}",
        "--set", f"confdir={folder}", "--set", f"ssl_verify_upstream_trusted_ca={authority.own.certificate}", *options,
    ])
    wait = waiting(servers, service, port, variable, f"http://127.0.0.1:{port}")

    def wait_for_all():
        wait()
        # It makes its own authority when it starts, and certificates for the servers by that.
        servers.offer(f"{variable}_CA", folder / "mitmproxy-ca-cert.pem")

    return wait_for_all


def fill(servers, name: str, values: dict[str, int]):
    configuration = servers.folder / name
    template = (servers.templates / f"{name}.in").read_text()
    configuration.write_text(nginx.fill(template, {"DIR": servers.folder, **values}))
    return configuration


def waiting(servers, service, port: int, variable: str, address: str) -> Callable[[], None]:
    def wait():
        service.wait_for(lambda: all(processes.accepts(port, host) for host in ("127.0.0.1", "::1")))
        servers.offer(variable, address)

    return wait


def listens(port: int) -> bool:
    """Whether a process listens on a port of any address of this machine."""
    done = subprocess.run(["ss", "-Hltn", f"sport = :{port}"], capture_output=True, text=True)
    return bool(done.stdout.strip())
