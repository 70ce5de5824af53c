"""Runs the example Gallery on a display of its own, to measure it and to take its pictures. Called by scripts/gallery.

    gallery.py [--debug] [--command PATH] measure [SECONDS]
    gallery.py [--debug] [--command PATH] screenshots
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import processes

SCRATCH = Path(".build-examples")
RESOURCES = Path("Sources/Bluebonnet/Bluebonnet.docc/Resources")
# A port on which nothing listens.
NOBODY = "http://127.0.0.1:9"

# The pictures: name, server (the embedded one when left out) and options.
SCREENSHOTS = [
    ("gallery", None, ["--pictures", "1000"]),
    ("gallery-failure", NOBODY, []),
]


def take_screenshots(run: Callable[[list[str]], None], server: str):
    """Takes each picture twice: light, and dark under the name that DocC shows in its dark mode."""
    RESOURCES.mkdir(exist_ok=True)
    for name, other_server, options in SCREENSHOTS:
        for suffix, dark in (("", []), ("~dark", ["--dark"])):
            file = RESOURCES / f"{name}{suffix}.png"
            run([other_server or server, *options, *dark, "--screenshot", str(file)])


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
