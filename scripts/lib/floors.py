"""Checks that the folders of the library only use the folders below them. Called by scripts/floors.

ARCHITECTURE.md describes the floors. The compiler checks each folder together with those that it may
use, and without the others. The arguments of the compiler are those of the last build.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Folders of Sources/Bluebonnet, and the folders that each group may use beside itself. Messages,
# Configuration and Transport are one group, because requests and configurations hold interceptors.
# The folders in TOP may use everything.
GROUPS: list[tuple[list[str], list[str]]] = [
    (["Support"], []),
    (["Reachability"], ["Support"]),
    (["Messages", "Configuration", "Transport"], ["Support", "Reachability"]),
    (["Security"], ["Support", "Reachability", "Messages", "Configuration", "Transport"]),
    (["Serialization"], ["Support", "Reachability", "Messages", "Configuration", "Transport"]),
    (["Engine"], ["Support", "Reachability", "Messages", "Configuration", "Transport", "Security"]),
    (["Interceptors"], ["Support", "Reachability", "Messages", "Configuration", "Transport", "Security", "Engine"]),
]
TOP = ["Session", "Curl"]

# Options of the build that only matter where something is written, each with or without a value.
OUTPUTS_WITH_VALUE = {
    "-emit-module-path", "-output-file-map", "-index-store-path", "-emit-objc-header-path",
}  # fmt: skip
OUTPUTS = {
    "-emit-dependencies", "-emit-module", "-incremental", "-c", "-serialize-diagnostics", "-parseable-output",
    "-emit-objc-header", "-enable-batch-mode",
}  # fmt: skip


def build_arguments(plan: str, module: str) -> list[str]:
    """The arguments of the compiler for a module, from the text of SwiftPM's build plan."""
    found = re.search(rf'^  "C\.{module}-[^"]*\.module":\n(?:    .*\n)*?    args: (\[.*\])$', plan, re.MULTILINE)
    if not found:
        raise LookupError(f"the build plan has no module {module}")
    return json.loads(found.group(1))


def type_check_arguments(arguments: list[str]) -> list[str]:
    """The same without sources and without what writes files."""
    kept: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument in OUTPUTS_WITH_VALUE:
            next(remaining, None)
        elif argument not in OUTPUTS and not argument.startswith("@") and not argument.endswith(".swift"):
            kept.append(argument)
    # As a whole module: otherwise, each file has a process that reads all of them.
    return [*kept, "-whole-module-optimization", "-typecheck"]


def sources(library: Path, folders: list[str]) -> list[str]:
    return [str(path) for folder in folders for path in sorted((library / folder).rglob("*.swift"))]


def compile_alone(command: list[str], files: list[str]) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as scratch:
        return subprocess.run([*command, *files], cwd=scratch, capture_output=True, text=True)


def unlisted(library: Path) -> list[str]:
    """Folders with Swift code that no group names."""
    listed = {folder for group, _ in GROUPS for folder in group} | set(TOP)
    return sorted(path.name for path in library.iterdir() if path.name not in listed and any(path.rglob("*.swift")))


def faults(output: str, folders: list[str]) -> Iterator[str]:
    """The errors in what the compiler printed, each once; all of it where there is none."""
    seen = set()
    for line in output.splitlines():
        if ": error: " in line and line not in seen:
            seen.add(line)
            yield line
    if not seen:
        yield f"{', '.join(folders)}: the compiler failed:\n{output}"


def main() -> int:
    library = Path("Sources/Bluebonnet")
    plan = Path(".build/debug.yaml")
    if not plan.exists():
        print("floors: there is no build; run `swift build` first", file=sys.stderr)
        return 2
    status = 0
    for folder in unlisted(library):
        print(f"floors: Sources/Bluebonnet/{folder} is on no floor (scripts/lib/floors.py)", file=sys.stderr)
        status = 1
    try:
        command = type_check_arguments(build_arguments(plan.read_text(encoding="utf-8"), "Bluebonnet"))
    except LookupError as error:
        print(f"floors: {error}; run `swift build` again", file=sys.stderr)
        return 2
    groups = [sources(library.resolve(), group + below) for group, below in GROUPS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda files: compile_alone(command, files), groups))
    for (group, below), files, result in zip(GROUPS, groups, results):
        if result.returncode == 0:
            print(f"floors: {', '.join(group)}: {len(files)} files compile without the rest")
            continue
        status = 1
        print(f"floors: {', '.join(group)} may only use {', '.join(below) or 'itself'}:", file=sys.stderr)
        for fault in faults(result.stdout + result.stderr, group):
            print(f"  {fault}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
