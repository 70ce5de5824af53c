"""The benchmark client for Python: the package requests, with the command line of `BenchmarkOptions`."""

import argparse
import json
import resource
import sys
import time

import requests

PIECE = 1 << 18


def once(session: requests.Session, options: argparse.Namespace) -> int:
    if options.workload == "upload-file":
        with open(options.file, "rb") as file:
            file.blocksize = PIECE
            response = session.put(options.url, data=file)
        response.raise_for_status()
        return int(response.content)
    if options.workload in ("download-null", "download-file"):
        count = 0
        target = open(options.file, "wb") if options.workload == "download-file" else None
        with session.get(options.url, stream=True) as response:
            response.raise_for_status()
            for piece in response.iter_content(PIECE):
                count += len(piece)
                if target:
                    target.write(piece)
        if target:
            target.close()
        return count
    response = session.get(options.url)
    response.raise_for_status()
    return len(response.json()) if options.workload == "json-100k" else len(response.content)


def peak_bytes() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload")
    parser.add_argument("--url", required=True)
    parser.add_argument("--file", default="")
    parser.add_argument("--trust", help="the PEM file with the certificate authority")
    for name in ("--requests", "--concurrency", "--warm-up", "--expect"):
        parser.add_argument(name, type=int, default=1)
    options = parser.parse_args()
    errors = 0
    with requests.Session() as session:
        session.trust_env = False  # no proxy is looked up
        session.verify = options.trust or True
        for _ in range(options.warm_up):
            once(session, options)
        before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        for _ in range(options.requests):
            errors += once(session, options) != options.expect
        wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "client": "python", "workload": options.workload, "count": options.requests, "errors": errors,
        "wallSeconds": wall, "userSeconds": after.ru_utime - before.ru_utime,
        "systemSeconds": after.ru_stime - before.ru_stime, "contextSwitches": after.ru_nvcsw - before.ru_nvcsw,
        "peakBytes": peak_bytes(),
    }))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
