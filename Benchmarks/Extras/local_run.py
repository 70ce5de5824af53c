"""Runs a workload without network over and over, with the command line and the line of JSON of `BenchmarkOptions`."""

import argparse
import json
import resource
import time
from collections.abc import Callable


def peak_bytes() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def main(client: str, once: Callable[[bytes], int]) -> int:
    """Measures `once`, which gets the file; returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("workload")
    parser.add_argument("--url", default="")
    parser.add_argument("--file", required=True)
    for name in ("--requests", "--warm-up", "--expect"):
        parser.add_argument(name, type=int, default=1)
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        document = file.read()
    for _ in range(options.warm_up):
        once(document)
    errors = 0
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    for _ in range(options.requests):
        errors += once(document) != options.expect
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "client": client, "workload": options.workload, "count": options.requests, "errors": errors,
        "wallSeconds": wall, "userSeconds": after.ru_utime - before.ru_utime,
        "systemSeconds": after.ru_stime - before.ru_stime, "contextSwitches": after.ru_nvcsw - before.ru_nvcsw,
        "peakBytes": peak_bytes(),
    }))
    return 1 if errors else 0
