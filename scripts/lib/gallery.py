"""Runs the example Gallery on a display of its own, to measure it and to take its pictures. Called by scripts/gallery.

    gallery.py [--debug] [--command PATH] measure [SECONDS]
    gallery.py [--debug] [--command PATH] screenshots
"""

import argparse
import contextlib
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import processes

SCRATCH = Path(".build-examples")
RESOURCES = Path("Sources/Bluebonnet/Bluebonnet.docc/Resources")
# A port on which nothing listens.
NOBODY = "http://127.0.0.1:9"


@contextlib.contextmanager
def halting(origin: str) -> Iterator[str]:
    """Runs a server with the pictures of another one, which stops in the middle of each behind the
    fourth. Yields its URL."""
    over = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            with urllib.request.urlopen(origin + self.path) as response:
                body, kind = response.read(), response.headers["Content-Type"]
            picture = re.match(r"/v1/pictures/(\d+)\.png", self.path)
            number = int(picture[1]) if picture else 0
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if number <= 4:
                self.wfile.write(body)
                return
            # Another part of each. The window may be gone meanwhile.
            with contextlib.suppress(ConnectionError):
                self.wfile.write(body[: len(body) * (number * 23 % 100) // 100])
            over.wait()
            self.close_connection = True

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def take_screenshots(run: Callable[[list[str]], None], server: str):
    """Takes each picture twice: light, and dark under the name that DocC shows in its dark mode."""
    RESOURCES.mkdir(exist_ok=True)
    with halting(server) as halting_server:
        servers = {"gallery": server, "gallery-progress": halting_server, "gallery-failure": NOBODY}
        for name, its_server in servers.items():
            for suffix, dark in (("", []), ("~dark", ["--dark"])):
                run([its_server, *dark, "--screenshot", str(RESOURCES / f"{name}{suffix}.png")])


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/gallery", description="Measures the gallery, or takes its pictures.")
    parser.add_argument("--command", type=Path, help="the command whose server is used (built when left out)")
    parser.add_argument("--debug", action="store_true", help="use a debug build")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="the folder of the build (default: %(default)s)")
    parser.add_argument("action", choices=["measure", "screenshots"])
    parser.add_argument("seconds", nargs="?", type=float, default=30, help="the time of scrolling (default: 30)")
    arguments = parser.parse_args()
    if arguments.command is None:
        subprocess.run(["scripts/command"], check=True)
    command = arguments.command or Path(".build/release/bluebonnet")
    configuration = "debug" if arguments.debug else "release"
    place = ["--package-path", "Examples/Gallery", "--scratch-path", arguments.scratch, "-c", configuration]
    subprocess.run(["swift", "build", *place, "--product", "Gallery"], check=True)
    program = arguments.scratch / configuration / "Gallery"
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        service = processes.Service("bluebonnet serve", [command, "serve"], Path(folder) / "serve.log")
        stack.callback(service.stop)
        server = service.wait_for(lambda: service.logged(r"^(http://\S+)\n"))
        environment = {**os.environ, **stack.enter_context(processes.virtual_display(Path(folder)))}
        # The font of GNOME where it is installed, as on most desktops with GTK.
        (settings := Path(folder) / "gtk-4.0").mkdir()
        (settings / "settings.ini").write_text("[Settings]\ngtk-font-name=Cantarell 11\n")
        environment["XDG_CONFIG_HOME"] = folder

        def run(options: list[str]):
            subprocess.run([program, *options], env=environment, check=True)

        if arguments.action == "measure":
            run([server, "--automatic", "--measure", "--scroll-seconds", str(arguments.seconds)])
        else:
            take_screenshots(run, server)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (subprocess.CalledProcessError, processes.Problem, OSError) as error:
        sys.exit(f"gallery: {error}")
