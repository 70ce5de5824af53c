"""Medians, tables and goals."""

import json
import os
import platform
import statistics
import subprocess
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from cases import TRANSFERS
from samples import Sample


@dataclass
class Row:
    """The medians of one client in one workload."""

    workload: str
    client: str
    per_second: float
    cpu: float
    peak: float
    spread: float  # of the processor time: (highest - lowest) / median
    samples: list[Sample]  # one a round

    @staticmethod
    def of(workload: str, client: str, samples: list[Sample]) -> "Row":
        cpus = [sample.cpu_microseconds for sample in samples]
        middle = statistics.median(cpus)
        return Row(
            workload, client,
            statistics.median(sample.per_second for sample in samples),
            middle,
            statistics.median(sample.peak_mb for sample in samples),
            (max(cpus) - min(cpus)) / middle if middle else 0,
            samples,
        )

    def json(self) -> str:
        return json.dumps({
            "workload": self.workload, "client": self.client, "perSecond": round(self.per_second, 1),
            "cpuMicroseconds": round(self.cpu, 2), "peakMB": round(self.peak, 1),
        })


# The goals of the row `bluebonnet`: workload, figure, the row it is divided by, limit, and whether
# the quotient must be at most (`<=`) or at least (`>=`) the limit.
GOALS = [
    ("concurrent-64-on-loop", "cpu", "nio", 1.05, "<="),
    ("concurrent-64", "cpu", "nio", 1.05, "<="),
    ("sequential-on-loop", "cpu", "nio", 1.1, "<="),
    ("sequential", "cpu", "nio", 1.1, "<="),
    ("concurrent-64", "cpu", "ahc-64", 0.65, "<="),
    ("concurrent-64-on-loop", "cpu", "ahc-64", 0.5, "<="),
    ("sequential", "cpu", "ahc", 0.6, "<="),
    ("sequential-on-loop", "cpu", "ahc", 0.3, "<="),
    ("sequential", "cpu", "urlsession", 0.1, "<="),
    ("concurrent-64", "cpu", "urlsession", 0.1, "<="),
    ("sequential-on-loop", "cpu", "urlsession", 0.1, "<="),
    ("concurrent-64-on-loop", "cpu", "urlsession", 0.1, "<="),
    ("download-null", "per_second", "ahc", 2.0, ">="),
    ("download-null-on-loop", "cpu", "curl", 1.1, "<="),
    ("download-null-on-loop", "cpu", "curl-512k", 1.1, "<="),
    ("download-null", "cpu", "curl", 1.3, "<="),
    ("download-null", "cpu", "curl-512k", 1.3, "<="),
    ("download-file", "cpu", "curl", 1.05, "<="),
    ("download-file", "cpu", "curl-512k", 1.05, "<="),
    ("download-file", "per_second", "curl", 1.0, ">="),
    ("download-file", "per_second", "urlsession", 2.0, ">="),
    ("upload-file", "per_second", "ahc", 1.0, ">="),
    ("upload-multipart", "per_second", "bluebonnet-plain", 0.9, ">="),
    ("cold-start", "per_second", "ahc", 1.0, ">="),
    ("cold-start", "per_second", "curl", 0.77, ">="),  # 1.3 of its time
    ("json-100k", "cpu", "ahc", 0.35, "<="),
    ("json-value", "per_second", "foundation", 6.0, ">="),
    ("json-decodable", "per_second", "foundation", 4.0, ">="),
    ("image-thumbnail", "cpu", "pillow", 1.0, "<="),
]
# The same for other rows: the row first.
ROW_GOALS = [
    ("bluebonnet-task-1", ("download-file", "per_second", "urlsession", 2.0, ">=")),
    ("bluebonnet-task-8", ("download-file", "per_second", "bluebonnet-task-1", 1.0, ">=")),
    *[("bluebonnet-cached", (workload, "cpu", "bluebonnet", 0.1, "<=")) for workload in ("sequential", "sequential-on-loop")],
    *[("bluebonnet-cached-on-disk", (workload, "cpu", "bluebonnet", 1.0, "<=")) for workload in ("sequential", "sequential-on-loop")],
    *[("bluebonnet-cached-in-redis", (workload, "cpu", "bluebonnet", 1.0, "<=")) for workload in ("sequential", "sequential-on-loop")],
    ("bluebonnet-task-8", ("download-file-tls", "per_second", "bluebonnet-task-1", 1.0, ">=")),
]
# The CPU time of a new TLS connection with our verification, divided by that of one with NIOSSL's
# on the same library: what NIOSSL's costs is the difference of the rows of bare NIO.
VERIFICATION_GOAL = 1.15
PEAK_GOALS = [  # MB
    ("download-null", "bluebonnet", 40), ("download-cached", "bluebonnet-cached", 40),
    ("download-cached", "bluebonnet-cached-on-disk", 40),
]
COOKIE_GOAL = 20  # microseconds of CPU time to find the cookies of a request among 10,000
# The CPU time of a request with an addition, divided by that of one without.
ADDITION_GOALS = {"bluebonnet-adapter": ("an adapter", 1.08), "bluebonnet-observed": ("observers", 1.25),
                  "bluebonnet-uncacheable": ("a cache that stores nothing", 1.05)}


def quotient(row: Row, other: Row | None, figure: str) -> float | None:
    """The median of the quotients round by round: the two runs of a round are near each other in time."""
    name = {"cpu": "cpu_microseconds"}.get(figure, figure)
    pairs = [(getattr(ours, name), getattr(theirs, name))
             for ours, theirs in zip(row.samples, other.samples if other else [])]
    return statistics.median(ours / theirs for ours, theirs in pairs) if pairs and all(theirs for _, theirs in pairs) else None


def verification(table: dict[tuple[str, str], Row]) -> float | None:
    """The quotient of `VERIFICATION_GOAL`; None without one of the rows."""
    names = ("bluebonnet-unseen", "bluebonnet", "nio", "nio-unverified")
    rows = [table.get(("tls-new", name)) for name in names]
    if not all(rows):
        return None
    rounds = zip(*[[sample.cpu_microseconds for sample in row.samples] for row in rows])
    return statistics.median(ours / (seen + nio - unverified) for ours, seen, nio, unverified in rounds)


def goals(rows: list[Row]) -> list[tuple[str, str, bool]]:
    """Each goal, the measured value, and whether it reaches the goal."""
    table = {(row.workload, row.client): row for row in rows}
    result = []
    for client, (workload, figure, against, limit, sign) in [("bluebonnet", goal) for goal in GOALS] + ROW_GOALS:
        ours, theirs = table.get((workload, client)), table.get((workload, against))
        if not ours or not theirs:
            continue
        value = quotient(ours, theirs, figure) or 0
        row = "" if client == "bluebonnet" else f" of {client}"
        name = f"{workload}: {'CPU' if figure == 'cpu' else 'speed'}{row} against {against} {sign} {limit}"
        result.append((name, f"{value:.2f}", value <= limit if sign == "<=" else value >= limit))
    for workload in by_workload(rows):
        for client, (addition, limit) in ADDITION_GOALS.items():
            row = table.get((workload, client))
            value = row and quotient(row, table.get((workload, "bluebonnet")), "cpu")
            if value:
                result.append((f"{workload}: CPU with {addition} against without <= {limit}", f"{value:.2f}", value <= limit))
    value = verification(table)
    if value:
        name = f"tls-new: CPU of bluebonnet-unseen against NIOSSL's verification <= {VERIFICATION_GOAL}"
        result.append((name, f"{value:.2f}", value <= VERIFICATION_GOAL))
    for workload, client, limit in PEAK_GOALS:
        ours = table.get((workload, client))
        if ours:
            row = "" if client == "bluebonnet" else f" of {client}"
            result.append((f"{workload}: peak memory{row} < {limit} MB", f"{ours.peak:.1f}", ours.peak < limit))
    ours = table.get(("cookies-10000", "bluebonnet"))
    if ours:
        result.append((f"cookies-10000: CPU of a request < {COOKIE_GOAL} µs", f"{ours.cpu:.1f}", ours.cpu < COOKIE_GOAL))
    return result


def with_best_upload(rows: list[Row], candidates: set[str]) -> list[Row]:
    """The rows, with a copy of the fastest of the candidates under the name `ahc`, if there are candidates."""
    best = max((row for row in rows if row.client in candidates), key=lambda row: row.per_second, default=None)
    if best is None:
        return rows
    index = min(index for index, row in enumerate(rows) if row.client in candidates)
    return [*rows[:index], replace(best, client="ahc"), *rows[index:]]


def cells(workload: str, rows: list[Row], against: str | None) -> list[list[str]]:
    """The table of one workload, its headings first; with `against`, rows are compared with that client only."""
    is_document = workload.startswith(("json-value", "json-decodable", "encode-", "cookies-"))
    is_start = workload == "cold-start"
    unit, per = ("MB", "MB") if workload in TRANSFERS else ("starts", "start") if is_start else (
        "documents", "document") if is_document else ("requests", "request")
    compared = ["foundation", "orjson"] if is_document else ["ahc", "curl"] if is_start else [
        "ahc", "curl", "curl-512k"] if workload in TRANSFERS else ["ahc", "ahc-64", "nio"]
    table = {row.client: row for row in rows}
    others = [client for client in ([against] if against else compared) if client in table]
    raced = others if is_start else others[:1]

    def ratio(row: Row, against: str, figure: str) -> str:
        value = quotient(row, table.get(against), figure)
        return f"{value:.2f}" if value is not None else ""

    body = [
        [
            row.client, f"{row.per_second:,.0f}" if row.per_second >= 100 else f"{row.per_second:.1f}",
            *[ratio(row, client, "per_second") for client in raced], f"{row.cpu:,.1f}",
            *[ratio(row, client, "cpu") for client in others], f"{row.spread:.0%}", f"{row.peak:.1f}",
        ]
        for row in rows
    ]
    headings = [
        "client", f"{unit}/s", *[f"× {client}" for client in raced], f"CPU µs/{per}",
        *[f"÷ {client}" for client in others], "spread", "peak MB",
    ]
    return [headings, *body]


def by_workload(rows: list[Row]) -> dict[str, list[Row]]:
    result: dict[str, list[Row]] = {}
    for row in rows:
        result.setdefault(row.workload, []).append(row)
    return result


def text(rows: list[Row], against: str | None) -> str:
    lines = []
    for workload, its_rows in by_workload(rows).items():
        table = cells(workload, its_rows, against)
        widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
        lines += ["", workload]
        for line in table:
            first, *rest = (cell.rjust(width) for cell, width in zip(line, widths))
            lines.append("  " + "  ".join([line[0].ljust(widths[0]), *rest]))
    reached = goals(rows)
    lines += ["", "goals"] if reached else []
    lines += [f"  {'reached' if good else 'MISSED '}  {name}  ({value})" for name, value, good in reached]
    return "\n".join(lines)


def markdown(rows: list[Row], rounds: int, nginx: str, load: float, is_awake: bool, against: str | None) -> str:
    awake = " The processors were kept awake between single requests." if is_awake else ""
    lines = [f"Measured on {date.today()}: {machine(nginx)}. Medians of {rounds} alternating rounds.{awake}", ""]
    if load > 0.5:
        lines += [f"**The machine was busy** (load {load:.1f} before the run): these figures say little.", ""]
    for workload, its_rows in by_workload(rows).items():
        header, *body = cells(workload, its_rows, against)
        lines += [f"### {workload}", "", "| " + " | ".join(header) + " |", "|---" + "|--:" * (len(header) - 1) + "|"]
        lines += ["| " + " | ".join(line) + " |" for line in body] + [""]
    reached = goals(rows)
    if reached:
        lines += ["### Goals", "", "| goal | measured | |", "|---|--:|---|"]
        lines += [f"| {name} | {value} | {'reached' if good else '**missed**'} |" for name, value, good in reached] + [""]
    return "\n".join(lines)


def first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    lines = (done.stdout + done.stderr).splitlines()
    return lines[0].strip() if lines else ""


def machine(nginx: str) -> str:
    """The processor, the kernel, and the versions of Swift and nginx, as far as they are known."""
    models = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
              if line.startswith("model name")]
    processor = models[0] if models else platform.machine()
    parts = [
        f"{os.cpu_count()} cores of {processor}", f"Linux {platform.release()}", first_line(["swift", "--version"]),
        first_line([nginx, "-v"]).removeprefix("nginx version: "),
    ]
    return ", ".join(part for part in parts if part)
