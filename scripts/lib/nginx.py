"""Starts nginx from a template, in a folder that only it uses, on free ports."""

import os
import re
import shutil
from pathlib import Path

import processes

ATTEMPTS = 5

# The text for every template: `@MAIN@` at its top, and `@FOLDERS@` in its `http` block.
MAIN = """daemon off;
{user}worker_processes 1;
pid @DIR@/nginx.pid;
error_log @DIR@/nginx.log warn;"""
FOLDERS = "\n    ".join(f"{kind}_temp_path @DIR@/nginx-{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))


def find() -> str | None:
    """The path of nginx; its package puts it in a folder that not every user has in PATH."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin:/usr/local/sbin")


def fill(template: str, values: dict[str, object]) -> str:
    """The template with every `@NAME@` replaced; a name without a value is a `KeyError`."""
    return re.sub(r"@([A-Z_]+)@", lambda found: str(values[found[1]]), template)


class Nginx:
    """An nginx with one worker. `ports` has the number of each `@…_PORT@` of the template.

    Those that begin with `SIX_` are ports of ::1, the others of 127.0.0.1.
    """

    def __init__(self, executable: str, folder: Path, template: str, values: dict[str, object] | None = None):
        # Started as root, nginx would give its workers another user, who may not be able to read
        # the folder.
        main = MAIN.format(user="user root;\n" if os.geteuid() == 0 else "")
        self.executable, self.folder = executable, folder
        self.template = template.replace("@MAIN@", main).replace("@FOLDERS@", FOLDERS)
        self.values = {**(values or {}), "DIR": folder}
        self.ports: dict[str, int] = {}
        self.service: processes.Service | None = None

    def start(self, outlives_us: bool = False) -> "Nginx":
        """Starts it, and waits until it accepts connections on every port.

        nginx cannot report a port that the system chose, so it gets free ones, and others if
        another process has taken one of them.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self.attempt(outlives_us)
            except processes.Problem:
                log = (self.folder / "nginx.log").read_text(errors="replace")
                if attempt == ATTEMPTS or "Address already in use" not in log:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def attempt(self, outlives_us: bool) -> "Nginx":
        names = sorted(set(re.findall(r"@([A-Z_]+_PORT)@", self.template)))
        self.ports = dict(zip(names, processes.free_ports(len(names))))
        configuration, log = self.folder / "nginx.conf", self.folder / "nginx.log"
        configuration.write_text(fill(self.template, {**self.values, **self.ports}))
        for left in ("nginx.sock", "nginx.pid"):
            (self.folder / left).unlink(missing_ok=True)
        log.write_text("")
        command = [self.executable, "-p", self.folder, "-e", log, "-c", configuration]
        self.service = processes.Service("nginx", command, log, outlives_us=outlives_us)
        try:
            # nginx writes the file when it has bound its ports: before that, another process may
            # accept connections there.
            self.service.wait_for(lambda: (self.folder / "nginx.pid").exists())
            self.service.wait_for(lambda: all(
                processes.accepts(port, "::1" if name.startswith("SIX_") else "127.0.0.1")
                for name, port in self.ports.items()
            ))
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self):
        if self.service:
            self.service.stop()
        self.service = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
