"""The benchmark client for aiohttp's WebSockets, with the command line and the line of JSON of `BenchmarkOptions`."""

import argparse
import asyncio
import json
import resource
import sys
import time

import aiohttp

MESSAGE = "0123456789abcdef"


async def echo(socket: aiohttp.ClientWebSocketResponse, count: int, in_flight: int) -> int:
    """Sends messages, so many of them on their way at a time; returns the number of those that came back."""
    received = sent = 0
    while received < count:
        while sent < count and sent - received < in_flight:
            await socket.send_str(MESSAGE)
            sent += 1
        if await socket.receive_str() != MESSAGE:
            return received
        received += 1
    return received


def peak_bytes() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


async def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload")
    parser.add_argument("--url", required=True)
    for name in ("--requests", "--concurrency", "--warm-up", "--expect"):
        parser.add_argument(name, type=int, default=1)
    options = parser.parse_args()
    async with aiohttp.ClientSession() as session, session.ws_connect(options.url) as socket:
        await echo(socket, options.warm_up, options.concurrency)
        before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        errors = options.requests - await echo(socket, options.requests, options.concurrency)
        wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "client": "aiohttp", "workload": options.workload, "count": options.requests, "errors": errors,
        "wallSeconds": wall, "userSeconds": after.ru_utime - before.ru_utime,
        "systemSeconds": after.ru_stime - before.ru_stime, "contextSwitches": after.ru_nvcsw - before.ru_nvcsw,
        "peakBytes": peak_bytes(),
    }))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
