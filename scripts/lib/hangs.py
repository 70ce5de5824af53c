"""Runs the tests, and ends them when they hang: a run that says nothing for long never ends by itself.

    python3 scripts/lib/hangs.py LOG SECONDS COMMAND…

The output of the command goes to standard output and to LOG. When SECONDS pass without any, the log gets the
stacks of its processes and the names of the tests that have not ended, and the command is ended; the status is 124
then, as that of `timeout`.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

HUNG = 124
SECONDS_FOR_STACKS = 120
BLOCK = 1 << 16


class Output:
    """Standard output and the log."""

    def __init__(self, log: BinaryIO):
        self.log = log

    def write(self, piece: bytes):
        for file in (sys.stdout.buffer, self.log):
            file.write(piece)
            file.flush()


def unfinished(log: str) -> list[str]:
    """The tests that have started and not ended, in the order of their start."""
    tests: dict[str, None] = {}
    for line in log.splitlines():
        if started := re.fullmatch(r'◇ Test (?:case .* to )?(".*") started\.', line):
            tests[started[1]] = None
        # An argument with a NUL ends its line there, without a line break.
        elif ended := re.search(r'[✔✘] Test (".*") (?:with \d+ test cases? )?(?:passed|failed) after ', line):
            tests.pop(ended[1], None)
    return list(tests)


def descendants(process: int) -> list[int]:
    """The processes that a process has started, directly or through others; the parents come first."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name of the program is in parentheses, and may have some of its own.
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it has ended
                continue
    found = [process]
    for one in found:
        found += [child for child, parent in sorted(parents.items()) if parent == one]
    return found[1:]


def stacks(process: int) -> bytes:
    """What the threads of a process are doing. Its output that still waits in memory is written, too."""
    debugger = shutil.which("gdb")
    if debugger is None:
        return b"(install gdb to see its threads)\n"
    command = [debugger, "--batch", "-p", str(process)]
    for line in ("set pagination off", "call (int)fflush(0)", "thread apply all backtrace 40"):
        command += ["-ex", line]
    try:
        shown = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_FOR_STACKS)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"") + b"(gdb did not end)\n"
    return shown.stdout + shown.stderr


def forward(source: int, output: Output, seconds: float) -> bool:
    """Copies the output until it ends; false if nothing came for so long."""
    while select.select([source], [], [], seconds)[0]:
        piece = os.read(source, BLOCK)
        if not piece:
            return True
        output.write(piece)
    return False


def explain(command: subprocess.Popen, source: int, output: Output, seconds: float):
    output.write(f"\nhangs: nothing was said for {seconds:g} s\n".encode())
    for process in descendants(command.pid):
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ")
            output.write(b"\nhangs: process %d: %s\n" % (process, words[:300]) + stacks(process))
        except OSError:  # it has ended
            continue
    forward(source, output, 1)
    output.log.seek(0)
    tests = unfinished(output.log.read().decode(errors="replace"))
    output.log.seek(0, os.SEEK_END)
    output.write(b"\nhangs: not ended:\n" + "".join(f"  {name}\n" for name in tests).encode())


def end(command: subprocess.Popen):
    for process in [*reversed(descendants(command.pid)), command.pid]:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    command.wait()


def run(log: Path, seconds: float, command: list[str]) -> int:
    with log.open("w+b") as file, subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as started:
        output, source = Output(file), started.stdout.fileno()
        if forward(source, output, seconds):
            status = started.wait()
            return status if status >= 0 else 128 - status
        if (status := started.poll()) is not None:
            output.write(b"\nhangs: the tests have ended, and left a process behind that keeps their output open\n")
            return status if status >= 0 else 128 - status
        try:
            explain(started, source, output, seconds)
        finally:
            end(started)
        return HUNG


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
