"""Runs one client once and reads its measurements."""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

TIME_LIMIT = 120  # seconds; a run that takes longer hangs


class Failure(Exception):
    """A client that failed, hung or printed something else than expected."""


@dataclass
class Sample:
    """One measured run of one client."""

    count: float  # requests, or MB for the transfers
    wall: float  # seconds
    cpu: float  # seconds of the client's process
    peak: float  # bytes

    @property
    def per_second(self) -> float:
        return self.count / self.wall

    @property
    def cpu_microseconds(self) -> float:
        return self.cpu / self.count * 1e6

    @property
    def peak_mb(self) -> float:
        return self.peak / 1e6


def output(command: list) -> str:
    """Runs a command and returns what it printed."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise Failure(f"still running after {TIME_LIMIT} s") from None
    if done.returncode != 0:
        raise Failure(f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def from_report(text: str, megabytes_each: float | None) -> Sample:
    """A sample from the line of JSON that the clients and the launcher print."""
    report = json.loads(text.splitlines()[-1])
    count = report["count"] * megabytes_each if megabytes_each else report["count"]
    cpu = report["userSeconds"] + report["systemSeconds"]
    return Sample(count, report["wallSeconds"], cpu, report["peakBytes"])


def launched(launcher: Path, report: Path, count: int, command: list, show: bool = False) -> tuple[str, str]:
    """Runs a command `count` times through the launcher; returns its output and the launcher's report."""
    shown = output([launcher, report, count, *(["--show"] if show else []), *command])
    return shown, report.read_text()


def wrk(launcher: Path, report: Path, seconds: float, connections: int, url: str) -> Sample:
    """A run of wrk with one thread. Its processor time includes its start."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", url]
    shown, text = launched(launcher, report, 1, command, show=True)
    found = re.search(r"(\d+) requests in ([\d.]+)s", shown)
    if not found or "Non-2xx" in shown or "Socket errors" in shown:
        raise Failure(f"wrk had errors or printed no count of requests: {shown}")
    sample = from_report(text, None)
    return Sample(int(found[1]), float(found[2]), sample.cpu, sample.peak)


def h2load(launcher: Path, report: Path, count: int, url: str) -> Sample:
    """A run of h2load with one connection and 64 streams. Its processor time includes its start."""
    command = ["h2load", "-t1", "-c1", "-m64", f"-n{count}", url]
    shown, text = launched(launcher, report, 1, command, show=True)
    found = re.search(r"finished in ([\d.]+)(ms|s|us),", shown)
    if not found or f" {count} succeeded" not in shown:
        raise Failure(f"h2load had errors or printed no time: {shown}")
    seconds = float(found[1]) * {"s": 1, "ms": 1e-3, "us": 1e-6}[found[2]]
    sample = from_report(text, None)
    return Sample(count, seconds, sample.cpu, sample.peak)
