"""Child processes that serve: free ports, starting them, waiting until they are ready, ending them."""

import contextlib
import ctypes
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

SECONDS_TO_START = 60  # for a busy machine; a process that has ended is noticed at once
SECONDS_TO_END = 5
PAUSE = 0.02

Result = TypeVar("Result")


class Problem(Exception):
    """The reason why a script cannot go on, as a sentence for its user."""


def free_ports(count: int) -> list[int]:
    """Ports that are free, and different. Another process may take one before it is used."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def accepts(port: int, host: str = "127.0.0.1") -> bool:
    """Whether a process accepts connections on this port."""
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


class Service:
    """A running server. Its output goes to a log, and Ctrl-C in our terminal does not reach it."""

    def __init__(self, name: str, command: Iterable, log: Path, *, outlives_us: bool = False, **environment: str):
        self.name, self.log = name, log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
                start_new_session=True,
                preexec_fn=None if outlives_us else end_with_parent,
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_for(self, test: Callable[[], Result], seconds: float = SECONDS_TO_START) -> Result:
        """Waits until a test returns a true value, and returns that.

        Raises a `Problem` with the log when the process ends before, or when the time is over.
        """
        deadline = time.monotonic() + seconds
        while not (result := test()):
            has_ended = self.process.poll() is not None
            if has_ended or time.monotonic() >= deadline:
                why = "ended" if has_ended else f"was not ready after {seconds:g} s"
                text = self.log.read_text(errors="replace").strip()
                raise Problem(f"{self.name} {why}; its log says:\n{text or '(nothing)'}")
            time.sleep(PAUSE)
        return result

    def logged(self, pattern: str) -> str | None:
        """The first group of a pattern in the log."""
        found = re.search(pattern, self.log.read_text(errors="replace"), re.MULTILINE)
        return found[1] if found else None

    def stop(self):
        """Ends it, by force if it does not end within some seconds."""
        end([self.pid], lambda _: self.process.poll() is None)
        self.process.wait()


@contextlib.contextmanager
def virtual_display(folder: Path) -> Iterator[dict[str, str]]:
    """A display without a screen until the end of the block: the environment of a program that uses it."""
    log = Path(folder) / "display.log"
    log.unlink(missing_ok=True)
    service = Service("Xvfb", ["Xvfb", "-noreset", "-displayfd", "1", "-screen", "0", "1280x960x24"], log)
    try:
        number = service.wait_for(lambda: service.logged(r"^(\d+)\n"))
        yield {
            "DISPLAY": f":{number}",
            "GDK_BACKEND": "x11",
            "GSK_RENDERER": "cairo",  # faster than OpenGL without a graphics card
            "GTK_A11Y": "none",
            "GSETTINGS_BACKEND": "memory",
        }
    finally:
        service.stop()


def end_with_parent():
    """Lets the kernel end this child with us, even if we are killed; called before its program runs."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def end(pids: Iterable[int], is_running: Callable[[int], bool], seconds: float = SECONDS_TO_END):
    """Asks processes to end, waits for them, and kills those that still run after some seconds."""
    pids = [pid for pid in pids if is_running(pid)]
    for pid in pids:
        send(pid, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while pids and time.monotonic() < deadline:
        time.sleep(PAUSE)
        pids = [pid for pid in pids if is_running(pid)]
    for pid in pids:
        send(pid, signal.SIGKILL)


def send(pid: int, number: int):
    """Sends a signal to a process that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def has_argument(pid: int, text: str) -> bool:
    """Whether a process runs that has this text in its command line.

    The number in a file may belong to another process by now.
    """
    try:
        return os.fsencode(text) in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def descendants(pid: int) -> list[int]:
    """The children of a process, their children, and so on."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name of the program is in parentheses, and may contain anything.
            parent = int(status.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(status.parent.name))
    found = []
    waiting = [pid]
    while waiting:
        next_ones = children.get(waiting.pop(), [])
        found += next_ones
        waiting += next_ones
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs; false for one that has ended and was not yet waited for."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"
