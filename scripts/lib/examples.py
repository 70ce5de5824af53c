"""Builds the examples, runs them against the embedded server, and compares their output. Called by scripts/examples.

    examples.py [--command PATH] [--only-build | --no-build] [NAME…]

Every example gets the URL of the server as its first argument, then those of its file arguments.txt where there is
one, and a temporary folder as its working directory. One with the trait GTK gets a display. An example must end with status 0, and write to standard output what its expected.txt has, where `SERVER` stands for
the URL, and `…` for any text within a line.
"""

import argparse
import contextlib
import difflib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import processes

EXAMPLES = Path("Examples")
SCRATCH = Path(".build-examples")
SECONDS = 60  # for one run, on a busy machine; most take less than one


def is_as_expected(line: str, expected: str) -> bool:
    """Whether a line of output is the expected one, in which `…` is any text."""
    return re.fullmatch(".*".join(map(re.escape, expected.split("…"))), line) is not None


def differences(output: str, expected: str) -> list[str]:
    """The lines that differ, as a diff; nothing when the output is as expected."""
    lines, wanted = output.splitlines(), expected.splitlines()
    # A line that is as expected is shown as the expected one, so that the diff has only the others.
    shown = [want if is_as_expected(line, want) else line for line, want in zip(lines, wanted)]
    return list(difflib.unified_diff(wanted, shown + lines[len(wanted) :], "expected", "output", lineterm=""))


def has_traits(name: str) -> bool:
    """Whether an example asks for traits of the library, which is compiled again for it."""
    return "traits:" in (EXAMPLES / name / "Package.swift").read_text()


def has_windows(name: str) -> bool:
    """Whether an example needs a display."""
    return '"GTK"' in (EXAMPLES / name / "Package.swift").read_text()


def arguments_of(name: str) -> list[str]:
    """The arguments of an example after the URL of the server."""
    file = EXAMPLES / name / "arguments.txt"
    return file.read_text().split() if file.exists() else []


def run(name: str, server: str, folder: str, environment: dict[str, str]) -> list[str]:
    """The reasons why the run of an example is not as expected; nothing when it is."""
    expected = (EXAMPLES / name / "expected.txt").read_text()
    program = (SCRATCH / "debug" / name).absolute()
    try:
        done = subprocess.run(
            [program, server, *arguments_of(name)],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        written = (error.stdout or b"").decode(errors="replace").splitlines()
        return [f"it did not end within {SECONDS} s; it wrote:", *written]
    output = done.stdout.decode(errors="replace").replace(server, "SERVER")
    faults = differences(output, expected)
    if done.returncode != 0:
        faults += [f"its exit status is {done.returncode}", *done.stderr.decode(errors="replace").splitlines()]
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/examples", description="Builds and runs the examples.")
    parser.add_argument("--command", type=Path, help="the command whose server is used (built when left out)")
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--only-build", action="store_true", help="build the examples, and run none")
    parts.add_argument("--no-build", action="store_true", help="run what was built")
    parser.add_argument("names", nargs="*", metavar="NAME", help="an example to run (all when left out)")
    arguments = parser.parse_args()
    names = arguments.names or sorted(file.parent.name for file in EXAMPLES.glob("*/Package.swift"))
    # Those with traits come last: the library is compiled once without traits, and once with them.
    names.sort(key=has_traits)
    if arguments.command is None and not arguments.only_build and not arguments.no_build:
        subprocess.run(["scripts/command"], check=True)
    for name in [] if arguments.no_build else names:
        # One scratch folder for all, so that the library is compiled once. The product is named,
        # since otherwise only that of the first package is linked.
        place = ["--package-path", EXAMPLES / name, "--scratch-path", SCRATCH]
        subprocess.run(["swift", "build", "--disable-index-store", *place, "--product", name], check=True)
    if arguments.only_build:
        return 0
    command = arguments.command or Path(".build/release/bluebonnet")
    failed = []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        service = processes.Service("bluebonnet serve", [command, "serve"], Path(folder) / "serve.log")
        stack.callback(service.stop)
        server = service.wait_for(lambda: service.logged(r"^(http://\S+)\n"))
        for name in names:
            started = time.monotonic()
            display = processes.virtual_display(folder) if has_windows(name) else contextlib.nullcontext({})
            with display as environment:
                faults = run(name, server, folder, environment)
            if faults:
                failed.append(name)
                print(f"examples: {name} FAILED", *faults, sep="\n    ", file=sys.stderr, flush=True)
            else:
                print(f"examples: {name} is as expected ({time.monotonic() - started:.1f} s)", flush=True)
    if failed:
        print(f"examples: failed: {', '.join(failed)}", file=sys.stderr)
        return 1
    print(f"examples: {len(names)} are as expected")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (subprocess.CalledProcessError, processes.Problem, OSError) as error:
        sys.exit(f"examples: {error}")
