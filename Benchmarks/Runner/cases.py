"""The clients of each workload, and how to call them."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import payloads
import samples
import servers
from samples import Sample

WORKLOADS = [
    "sequential", "sequential-on-loop", "concurrent-64", "concurrent-64-on-loop", "queued-10000", "tls-new", "tls-resumed",
    "h2-64", "h2-download", "download-null", "download-null-on-loop", "download-null-tls", "download-file", "download-file-tls",
    "upload-file", "upload-multipart", "json-100k", "cold-start",
    "websocket-echo", "encode-query", "encode-multipart", "cookies-10000", "download-cached", "image-thumbnail",
    *[f"json-{kind}{suffix}" for suffix in payloads.DOCUMENTS for kind in ("value", "decodable")],
]
# Where the processors have nothing to do between requests, so that it matters whether they sleep
# (`servers.Awake`).
WAITING = {"sequential", "sequential-on-loop"}
TRANSFERS = {workload for workload in WORKLOADS if workload.startswith(("download-", "upload-", "h2-download"))}
PIECES = 64  # of `download-cached`: 1 GiB is stored, and as much is read
COLD_PYTHON = "import sys, urllib.request as r; sys.stdout.buffer.write(r.urlopen(sys.argv[1]).read())"


@dataclass
class Case:
    """One client in one workload."""

    workload: str
    client: str
    run: Callable[[int], Sample]  # takes the number of requests, transfers or starts (wrk: seconds)
    calibration: int  # the number that `run` is first called with; this run is not measured
    timed: bool = False  # whether `run` takes seconds
    fixed: int | None = None  # the number of requests of every run, however long it takes


@dataclass
class TLSPlaces:
    """The URLs of nginx over TLS."""

    base: str  # resumes no session
    resuming: str
    http2: str  # for clients that offer HTTP/2
    authority: Path


@dataclass
class Places:
    """The executables, files and servers that the cases need."""

    binaries: Path  # of this package
    command: Path  # the `bluebonnet` command
    extras: dict[str, list]  # client name -> how to call it
    files: payloads.Payloads
    base: str  # nginx
    sink: str
    echo: str
    cache: Path  # the folder of a cache
    redis: str | None  # the URL of a Redis server; None where none is installed
    tls: TLSPlaces | None  # None where no certificate can be made

    def harness(self, client: str) -> list | None:
        if client in self.extras:
            return self.extras[client]
        executable = self.binaries / f"bench-{client}"
        return [executable] if executable.is_file() else None


def is_tls(workload: str) -> bool:
    return workload.startswith(("tls-", "h2-")) or workload.endswith("-tls")


def job(workload: str) -> str:
    """The workload as the first argument of a client: options say where its tasks run, and the URL whether it uses TLS.

    The URL also says whether HTTP/2 is spoken: the clients take it where the server offers it.
    """
    return {"tls-resumed": "tls-new", "h2-64": "concurrent-64", "h2-download": "download-null"}.get(workload, workload.removesuffix("-on-loop").removesuffix("-tls"))


def request_arguments(workload: str, places: Places) -> list:
    """The arguments that every client of the common command line gets for a workload."""
    plain, tls = job(workload), places.tls
    if plain == "tls-new":
        base, body = (tls.resuming, servers.RESUMED) if workload == "tls-resumed" else (tls.base, payloads.TINY)
        return ["--url", base + "/once", "--trust", tls.authority, "--expect", len(body), "--warm-up", 20]
    if plain == "queued-10000":
        return [
            "--url", places.base + "/tiny", "--expect", len(payloads.TINY), "--warm-up", 64, "--concurrency", QUEUED,
        ]
    if plain == "sequential":
        return ["--url", places.base + "/tiny", "--expect", len(payloads.TINY), "--warm-up", 100]
    if workload == "h2-64":
        return [
            "--url", tls.http2 + "/tiny", "--trust", tls.authority, "--expect", len(payloads.TINY), "--warm-up", 1280,
            "--concurrency", 64,
        ]
    if plain == "concurrent-64":
        return [
            "--url", places.base + "/tiny", "--expect", len(payloads.TINY), "--warm-up", 1280, "--concurrency", 64,
        ]
    if plain == "websocket-echo":
        return ["--url", places.echo, "--warm-up", 1280, "--concurrency", 64]
    if plain == "json-100k":
        return ["--url", places.base + "/records.json", "--expect", payloads.RECORD_COUNT, "--warm-up", 10]
    if plain == "download-cached":
        return ["--url", places.base + "/piece.bin", "--expect", 2 * payloads.PIECE_BYTES]
    large = ["--expect", places.files.large_bytes]
    if plain in ("upload-file", "upload-multipart"):
        return ["--url", places.sink, "--file", places.files.large, *large]
    target = ["--file", places.files.download_target] if plain == "download-file" else []
    base, trust = (tls.base, ["--trust", tls.authority]) if is_tls(workload) else (places.base, [])
    if workload == "h2-download":
        base = tls.http2
    return ["--url", base + "/large.bin", *trust, *target, *large]


def harness_case(name: str, library: str, workload: str, options: list, places: Places) -> Case | None:
    """A client that takes the common command line (`BenchmarkOptions`) and prints the common line of JSON."""
    executable = places.harness(library)
    if executable is None:
        return None
    arguments = request_arguments(workload, places)
    size = 2 * payloads.PIECE_BYTES if workload == "download-cached" else places.files.large_bytes
    megabytes = size / 1e6 if workload in TRANSFERS else None

    def run(count: int) -> Sample:
        command = [*executable, job(workload), *arguments, *options, "--requests", count]
        return samples.from_report(samples.output(command), megabytes)

    calibration = 1 if megabytes else 6400 if workload == "websocket-echo" else 640 if "64" in workload else 100
    fixed = {"queued-10000": QUEUED, "download-cached": PIECES}.get(workload)
    return Case(workload, name, run, calibration, fixed=fixed)


def document_cases(workload: str, places: Places) -> list[Case]:
    """The cases that parse or decode a document in memory: no server, one thread."""
    kind = next(kind for kind in ("json-value", "json-decodable") if workload.startswith(kind))
    name, count = payloads.DOCUMENTS[workload.removeprefix(kind)]
    rows = [("bluebonnet", "bluebonnet"), ("foundation", "urlsession")]
    if kind == "json-value":  # orjson does not decode into types
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
    """The cases that encode parameters and forms, or match cookies: no server, one thread."""

    def case(client: str, executable: list) -> Case:
        def run(requests: int) -> Sample:
            expected = ["--expect", 9] if workload.startswith("cookies-") else []
            command = [*executable, workload, *expected, "--warm-up", 3, "--requests", requests]
            return samples.from_report(samples.output(command), None)

        return Case(workload, client, run, 20)

    rows = [("bluebonnet", "bluebonnet")]
    if workload.startswith("encode-"):
        rows.append(("foundation", "urlsession"))
    found = [(client, places.harness(library)) for client, library in rows]
    return [case(client, executable) for client, executable in found if executable]


def image_cases(workload: str, places: Places) -> list[Case]:
    """The cases that decode a photo: no server, one thread. Pillow makes the photo, so that it is needed."""
    if "pillow" not in places.extras:
        return []
    photo = places.files.folder / "photo.jpg"
    if not photo.exists():
        samples.output([*places.extras["pillow"], "make", photo])

    def case(client: str, executable: list) -> Case:
        def run(requests: int) -> Sample:
            command = [
                *executable, workload, "--file", photo, "--expect", 320 * 240, "--warm-up", 1, "--requests", requests,
            ]
            return samples.from_report(samples.output(command), None)

        return Case(workload, client, run, 1)

    found = [(client, places.harness(library)) for client, library in (("bluebonnet", "images"), ("pillow", "pillow"))]
    return [case(client, executable) for client, executable in found if executable]


def multipart_upload_cases(places: Places) -> list[Case]:
    """The cases that upload a form with a file, and the file alone."""
    form = harness_case("bluebonnet", "bluebonnet", "upload-multipart", [], places)
    plain = harness_case("bluebonnet-plain", "bluebonnet", "upload-file", [], places)
    return [form, replace(plain, workload="upload-multipart")] if form and plain else []


def start_case(name: str, workload: str, command: list, places: Places, megabytes: float | None) -> Case:
    """A command that is started again for every request, with its start measured."""
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


def h2load_case(places: Places) -> Case:
    launcher, report = places.binaries / "bench-launcher", places.files.folder / "launcher.json"
    return Case(
        "h2-64", "h2load", lambda count: samples.h2load(launcher, report, count, places.tls.http2 + "/tiny"), 640,
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
    if is_tls(workload):
        source = ["--cacert", places.tls.authority, places.tls.base + "/large.bin"]
    else:
        source = [places.base + "/large.bin"]
    command = {
        "download-null": ["curl", "-sf", "-o", "/dev/null", *source],
        "download-file": ["curl", "-sf", "-o", places.files.download_target, *source],
        "upload-file": ["curl", "-sf", "-T", places.files.large, places.sink],
    }.get(job(workload))
    return [start_case("curl", workload, command, places, places.files.large_bytes / 1e6)] if command else []


def cases(workload: str, places: Places) -> list[Case]:
    """All cases of a workload for which there is a client on this machine, in the order of the table."""
    if workload == "cold-start":
        return cold_starts(places)
    if workload.startswith(("json-value", "json-decodable")):
        return document_cases(workload, places)
    if workload.startswith(("encode-", "cookies-")):
        return encoding_cases(workload, places)
    if workload.startswith("image-"):
        return image_cases(workload, places)
    if workload == "websocket-echo":
        rows = [("bluebonnet", "bluebonnet", []), ("bluebonnet-on-loop", "bluebonnet", ["--on-loop"]), ("aiohttp", "aiohttp", [])]
        found = [harness_case(name, library, workload, options, places) for name, library, options in rows]
        return [case for case in found if case]
    if workload == "upload-multipart":
        return multipart_upload_cases(places)
    if is_tls(workload) and places.tls is None:
        return []
    found = [
        harness_case(name, library, workload, options, places)
        for name, library, options in swift_rows(workload, places) + other_rows(workload)
    ]
    result = [case for case in found if case] + curl_command_cases(workload, places)
    if workload in ("sequential", "concurrent-64") and shutil.which("wrk"):
        result.append(wrk_case(workload, places))
    if workload == "h2-64" and shutil.which("h2load"):
        result.append(h2load_case(places))
    return result


Rows = list[tuple[str, str, list]]  # the name of a row, the client, and its options


def swift_rows(workload: str, places: Places) -> Rows:
    """The clients that are built with this package."""
    on_loop = workload.endswith("-on-loop")
    loop = ["--on-loop"] if on_loop else []
    wide = ["--connections", 64]
    cached = ["--url", places.base + "/cached"]
    if workload.startswith("concurrent-64"):
        rows = [
            ("bluebonnet", "bluebonnet", loop + wide), ("bluebonnet-6", "bluebonnet", loop),
            ("bluebonnet-adapter", "bluebonnet", [*loop, *wide, "--adapter"]),
            ("bluebonnet-observed", "bluebonnet", [*loop, *wide, "--observed"]),
            ("bluebonnet-uncacheable", "bluebonnet", [*loop, *wide, "--cache", "memory"]),
            ("nio", "nio", loop), ("ahc", "ahc", []), ("ahc-64", "ahc", wide), ("urlsession", "urlsession", wide),
        ]
        return rows + ([("ahc-64-on-loop", "ahc", loop + wide)] if on_loop else [])
    if workload == "upload-file":
        return [
            ("bluebonnet", "bluebonnet", []),
            ("nio-sendfile", "nio", []),
            *[(name, "ahc", options) for name, options in AHC_UPLOADS.items()], ("urlsession", "urlsession", []),
        ]
    if workload == "download-cached":
        return [
            ("bluebonnet", "bluebonnet", []), ("bluebonnet-cached", "bluebonnet", ["--cache", "memory"]),
            ("bluebonnet-cached-on-disk", "bluebonnet", ["--cache", places.cache]),
        ]
    if workload == "h2-64":  # the same over HTTP/1.1, from the server that offers nothing else
        http1 = ["--url", places.tls.base + "/tiny", "--connections", 64]
        return [
            ("bluebonnet", "bluebonnet", []), ("bluebonnet-on-loop", "bluebonnet", ["--on-loop"]),
            ("bluebonnet-http1", "bluebonnet", http1), ("ahc", "ahc", []), ("ahc-http1", "ahc", http1),
        ]
    if workload == "h2-download":  # the same over HTTP/1.1, from the server that offers nothing else
        http1 = ["--url", places.tls.base + "/large.bin"]
        return [
            ("bluebonnet", "bluebonnet", []), ("bluebonnet-http1", "bluebonnet", http1),
            ("ahc", "ahc", []), ("ahc-http1", "ahc", http1),
        ]
    if workload == "tls-resumed":  # no client built on NIOSSL can; ours with full handshakes, for comparison
        return [("bluebonnet-full", "bluebonnet", ["--expect", len(payloads.TINY)])]
    rows = [("bluebonnet", "bluebonnet", loop)]
    if workload.startswith("download-file"):
        rows += [(f"bluebonnet-task-{count}", "bluebonnet", ["--segments", count]) for count in (1, 8)]
    if workload.startswith("sequential"):
        rows.append(("bluebonnet-adapter", "bluebonnet", [*loop, "--adapter"]))
        rows.append(("bluebonnet-observed", "bluebonnet", [*loop, "--observed"]))
        rows.append(("bluebonnet-uncacheable", "bluebonnet", [*loop, "--cache", "memory"]))
        rows.append(("bluebonnet-cached", "bluebonnet", [*loop, *cached, "--cache", "memory"]))
        rows.append(("bluebonnet-cached-on-disk", "bluebonnet", [*loop, *cached, "--cache", places.cache]))
        if places.redis:
            rows.append(("bluebonnet-cached-in-redis", "bluebonnet", [*loop, *cached, "--cache", places.redis]))
    if workload.startswith(("sequential", "tls-new", "download-null")):
        rows.append(("nio", "nio", loop))
    if workload == "tls-new":
        rows += [("bluebonnet-unseen", "bluebonnet", ["--unseen"]), ("nio-unverified", "nio", ["--unverified"])]
    rows.append(("ahc", "ahc", []))
    if not is_tls(workload):  # URLSession on Linux trusts the authorities of the system only
        rows.append(("urlsession", "urlsession", []))
    return rows + ([("ahc-on-loop", "ahc", loop)] if on_loop else [])


def other_rows(workload: str) -> Rows:
    """The clients of other languages."""
    if workload == "download-cached":  # none of them has a cache
        return []
    if workload == "queued-10000":  # none of them has a limit by default
        return [(f"{name}-6", name, ["--connections", 6]) for name in ("curl", "go", "reqwest")]
    if workload == "h2-64":
        return [("curl", "curl", ["--connections", 1]), ("go", "go", [])]
    if workload == "h2-download":
        return [("curl", "curl", []), ("go", "go", [])]
    if workload == "tls-resumed":
        return [("curl", "curl", ["--resume"]), ("go", "go", ["--resume"]), ("reqwest", "reqwest", [])]
    rows = [("curl", "curl", [])]
    if workload in TRANSFERS:
        rows.append(("curl-512k", "curl", ["--buffer", 512 << 10]))
    if not workload.endswith("-on-loop"):
        rows += [(name, name, []) for name in ("python", "go", "reqwest")]
    rows.append(("reqwest-1-thread", "reqwest", ["--on-loop"]))
    return [row for row in rows if (row[0], job(workload)) not in NOT_DONE]


# The ways for AsyncHTTPClient to send a file: the size of the pieces, and whether a thread pool
# reads them. The best one is its row `ahc`.
AHC_UPLOADS = {
    "ahc-64k": ["--chunk", 1 << 16],
    "ahc-256k": ["--chunk", 1 << 18],
    "ahc-1m": ["--chunk", 1 << 20],
    "ahc-256k-pool": ["--chunk", 1 << 18, "--on-pool"],
    "ahc-1m-pool": ["--chunk", 1 << 20, "--on-pool"],
}
QUEUED = 10_000

# Workloads that a client cannot run: requests has no concurrency, curl has no JSON.
NOT_DONE = {("python", "concurrent-64"), ("curl", "json-100k")}
