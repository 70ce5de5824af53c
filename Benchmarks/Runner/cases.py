"""Which clients do which workloads, and how each is called."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import payloads
import samples
from samples import Sample

WORKLOADS = [
    "sequential", "sequential-on-loop", "concurrent-64", "concurrent-64-on-loop",
    "download-null", "download-file", "upload-file", "upload-multipart", "json-100k", "cold-start",
    "encode-query", "encode-multipart",
    *[f"json-{kind}{suffix}" for suffix in payloads.DOCUMENTS for kind in ("value", "decodable")],
]
# Where the processors have nothing to do between requests, so that it matters whether they sleep (`servers.Awake`).
WAITING = {"sequential", "sequential-on-loop"}
TRANSFERS = {"download-null", "download-file", "upload-file", "upload-multipart"}
COLD_PYTHON = "import sys, urllib.request as r; sys.stdout.buffer.write(r.urlopen(sys.argv[1]).read())"


@dataclass
class Case:
    """One client in one workload."""

    workload: str
    client: str
    run: Callable[[int], Sample]  # takes the number of requests, transfers, starts (wrk: seconds)
    calibration: int  # what `run` is first called with, uncounted
    timed: bool = False  # whether `run` takes seconds


@dataclass
class Places:
    """Where everything is that the cases need."""

    binaries: Path  # of this package
    command: Path  # the `bluebonnet` command
    extras: dict[str, list]  # client name -> how to call it
    files: payloads.Payloads
    base: str  # nginx
    sink: str

    def harness(self, client: str) -> list | None:
        if client in self.extras:
            return self.extras[client]
        executable = self.binaries / f"bench-{client}"
        return [executable] if executable.is_file() else None


def request_arguments(workload: str, places: Places) -> list:
    """The arguments that every client of the common command line gets for a workload."""
    plain = workload.removesuffix("-on-loop")
    if plain == "sequential":
        return ["--url", places.base + "/tiny", "--expect", len(payloads.TINY), "--warm-up", 100]
    if plain == "concurrent-64":
        return [
            "--url", places.base + "/tiny", "--expect", len(payloads.TINY), "--warm-up", 1280, "--concurrency", 64,
        ]
    if plain == "json-100k":
        return ["--url", places.base + "/records.json", "--expect", payloads.RECORD_COUNT, "--warm-up", 10]
    large = ["--expect", places.files.large_bytes]
    if plain in ("upload-file", "upload-multipart"):
        return ["--url", places.sink, "--file", places.files.large, *large]
    target = ["--file", places.files.download_target] if plain == "download-file" else []
    return ["--url", places.base + "/large.bin", *target, *large]


def harness_case(name: str, library: str, workload: str, options: list, places: Places) -> Case | None:
    """A client that takes the common command line (`BenchmarkOptions`) and prints the common line of JSON."""
    executable = places.harness(library)
    if executable is None:
        return None
    arguments = request_arguments(workload, places)
    # A client that does not run on the loop does the ordinary workload, see README.md.
    asked = workload if "--on-loop" in options else workload.removesuffix("-on-loop")
    megabytes = places.files.large_bytes / 1e6 if workload in TRANSFERS else None

    def run(count: int) -> Sample:
        command = [*executable, asked, *arguments, *options, "--requests", count]
        return samples.from_report(samples.output(command), megabytes)

    calibration = 1 if megabytes else 640 if "64" in workload else 100
    return Case(workload, name, run, calibration)


def document_cases(workload: str, places: Places) -> list[Case]:
    """Parsing or decoding a document in memory: no server, one thread."""
    kind = next(kind for kind in ("json-value", "json-decodable") if workload.startswith(kind))
    name, count = payloads.DOCUMENTS[workload.removeprefix(kind)]
    rows = [("bluebonnet", "bluebonnet"), ("foundation", "urlsession")]
    if kind == "json-value":  # orjson makes no types
        rows.append(("orjson", "orjson"))

    def case(client: str, executable: list) -> Case:
        def run(requests: int) -> Sample:
            command = [
                *executable, workload, "--file", places.files.folder / name, "--expect", count, "--warm-up", 3,
                "--requests", requests,
            ]
            return samples.from_report(samples.output(command), None)

        return Case(workload, client, run, 5)

    found = [(client, places.harness(library)) for client, library in rows]
    return [case(client, executable) for client, executable in found if executable]


def encoding_cases(workload: str, places: Places) -> list[Case]:
    """Writing parameters and forms: no server, one thread."""

    def case(client: str, executable: list) -> Case:
        def run(requests: int) -> Sample:
            return samples.from_report(
                samples.output([*executable, workload, "--warm-up", 3, "--requests", requests]), None)

        return Case(workload, client, run, 20)

    found = [(client, places.harness(library)) for client, library in
             (("bluebonnet", "bluebonnet"), ("foundation", "urlsession"))]
    return [case(client, executable) for client, executable in found if executable]


def multipart_upload_cases(places: Places) -> list[Case]:
    """A form with a file, beside the file alone."""
    form = harness_case("bluebonnet", "bluebonnet", "upload-multipart", [], places)
    plain = harness_case("bluebonnet-plain", "bluebonnet", "upload-file", [], places)
    return [form, replace(plain, workload="upload-multipart")] if form and plain else []


def start_case(name: str, workload: str, command: list, places: Places, megabytes: float | None) -> Case:
    """A command that is started anew for every request, measured as a whole."""
    launcher, report = places.binaries / "bench-launcher", places.files.folder / "launcher.json"

    def run(count: int) -> Sample:
        return samples.from_report(samples.launched(launcher, report, count, command)[1], megabytes)

    return Case(workload, name, run, 2 if megabytes is None else 1)


def wrk_case(workload: str, places: Places) -> Case:
    launcher, report = places.binaries / "bench-launcher", places.files.folder / "launcher.json"
    connections = 64 if workload == "concurrent-64" else 1
    return Case(
        workload, "wrk",
        lambda seconds: samples.wrk(launcher, report, seconds, connections, places.base + "/tiny"),
        1, timed=True,
    )


def cold_starts(places: Places) -> list[Case]:
    url = places.base + "/tiny"
    commands = {
        "bluebonnet": [places.command, "get", url],
        "ahc": [places.binaries / "get-ahc", url],
        "urlsession": [places.binaries / "get-urlsession", url],
        "curl": ["curl", "-s", url],
        "python": [sys.executable, "-c", COLD_PYTHON, url],
    }
    there = {name: command for name, command in commands.items() if shutil.which(command[0])}
    return [checked(start_case(name, "cold-start", command, places, None), command) for name, command in there.items()]


def checked(case: Case, command: list) -> Case:
    """A case whose command must print the tiny body before it is measured."""

    def run(count: int) -> Sample:
        if payloads.TINY.decode() not in samples.output(command):
            raise samples.Failure("the command did not print the body")
        return case.run(count)

    return replace(case, run=run)


def curl_command_cases(workload: str, places: Places) -> list[Case]:
    """The curl command, where libcurl's headers are missing."""
    if "curl" in places.extras or shutil.which("curl") is None:
        return []
    command = {
        "download-null": ["curl", "-sf", "-o", "/dev/null", places.base + "/large.bin"],
        "download-file": ["curl", "-sf", "-o", places.files.download_target, places.base + "/large.bin"],
        "upload-file": ["curl", "-sf", "-T", places.files.large, places.sink],
    }.get(workload)
    return [start_case("curl", workload, command, places, places.files.large_bytes / 1e6)] if command else []


def cases(workload: str, places: Places) -> list[Case]:
    """All cases of a workload for which there is a client on this machine, in the order of the table."""
    if workload == "cold-start":
        return cold_starts(places)
    if workload.startswith(("json-value", "json-decodable")):
        return document_cases(workload, places)
    if workload.startswith("encode-"):
        return encoding_cases(workload, places)
    if workload == "upload-multipart":
        return multipart_upload_cases(places)
    wide = ["--connections", 64]
    on_loop = workload.endswith("-on-loop")
    loop = ["--on-loop"] if on_loop else []
    if workload.startswith("concurrent-64"):
        rows = [
            ("bluebonnet", "bluebonnet", loop + wide), ("bluebonnet-6", "bluebonnet", loop),
            ("nio", "nio", loop), ("ahc", "ahc", []), ("ahc-64", "ahc", wide), ("urlsession", "urlsession", wide),
        ]
        if on_loop:
            rows.append(("ahc-64-on-loop", "ahc", loop + wide))
    elif workload == "upload-file":
        rows = [
            ("bluebonnet", "bluebonnet", []),
            ("nio-sendfile", "nio", []),
            *[(name, "ahc", options) for name, options in AHC_UPLOADS.items()], ("urlsession", "urlsession", []),
        ]
    else:
        rows = [("bluebonnet", "bluebonnet", loop), ("ahc", "ahc", []), ("urlsession", "urlsession", [])]
        if workload.startswith("sequential"):
            rows.insert(1, ("nio", "nio", loop))
        if on_loop:
            rows.append(("ahc-on-loop", "ahc", loop))
    if not on_loop:
        rows += [(name, name, []) for name in places.extras if name != "orjson" and (name, workload) not in NOT_DONE]
    found = [harness_case(name, library, workload, options, places) for name, library, options in rows]
    result = [case for case in found if case] + curl_command_cases(workload, places)
    if workload in ("sequential", "concurrent-64") and shutil.which("wrk"):
        result.append(wrk_case(workload, places))
    return result


# The ways for AsyncHTTPClient to send a file: size of the pieces, and who reads them. The best one is its row `ahc`.
AHC_UPLOADS = {
    "ahc-64k": ["--chunk", 1 << 16],
    "ahc-256k": ["--chunk", 1 << 18],
    "ahc-1m": ["--chunk", 1 << 20],
    "ahc-256k-pool": ["--chunk", 1 << 18, "--on-pool"],
    "ahc-1m-pool": ["--chunk", 1 << 20, "--on-pool"],
}

# What a client cannot do, or what would say nothing about it: requests has no concurrency of its own, curl no JSON.
NOT_DONE = {("python", "concurrent-64"), ("curl", "json-100k")}
