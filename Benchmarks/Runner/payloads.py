"""What the servers hand out and the clients send: made once per run, the same bytes on every machine."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

TINY = b"Hello, World!"
RECORD_COUNT = 435
LARGE_BYTES = 256_000_000
LARGE_BYTES_QUICK = 64_000_000
FIRST_NAMES = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Margaret", "Dennis", "Frances", "Niklaus"]
LAST_NAMES = ["Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Hamilton", "Ritchie", "Allen", "Wirth"]
CITIES = ["Austin", "Zürich", "Kyoto", "Nairobi", "Lima", "Oslo", "Perth"]


@dataclass
class Payloads:
    """The folder with the files, and what the clients must find in them."""

    folder: Path
    large_bytes: int

    @property
    def large(self) -> Path:
        return self.folder / "large.bin"

    @property
    def download_target(self) -> Path:
        return self.folder / "downloaded.bin"


def records() -> bytes:
    """About 100 KB of JSON: a flat array of flat objects."""
    rows = []
    for index in range(RECORD_COUNT):
        first, last = FIRST_NAMES[index % 10], LAST_NAMES[(index // 10) % 10]
        scrambled = (index * 2654435761) % 2**32
        rows.append({
            "id": index,
            "guid": f"{scrambled:08x}-{index:04x}-4{index % 4096:03x}-a{scrambled % 4096:03x}-{scrambled * 4093:012x}"[:36],
            "name": f"{first} {last}",
            "email": f"{first.lower()}.{last.lower()}.{index}@example.com",
            "city": CITIES[index % len(CITIES)],
            "zip": f"{10000 + scrambled % 80000}-{index:04}",
            "balance": scrambled % 1_000_000 / 100,
            "age": 18 + scrambled % 70,
            "active": scrambled % 3 != 0,
            "registered": f"20{10 + index % 15}-{1 + index % 12:02}-{1 + scrambled % 28:02}T{index % 24:02}:30:00Z",
        })
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()


def create(folder: Path, large_bytes: int) -> Payloads:
    """Writes the files."""
    (folder / "records.json").write_bytes(records())
    block = os.urandom(1 << 20)
    with open(folder / "large.bin", "wb") as file:
        left = large_bytes
        while left > 0:
            left -= file.write(block[: min(left, len(block))])
    return Payloads(folder, large_bytes)


def temporary_folder() -> tempfile.TemporaryDirectory:
    """A folder in memory where there is room for it, so that no disk is measured; else where temporary files go."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK):
        status = os.statvfs(memory)
        if status.f_bavail * status.f_frsize > 4 * LARGE_BYTES:
            return tempfile.TemporaryDirectory(prefix="bluebonnet-bench-", dir=memory)
    return tempfile.TemporaryDirectory(prefix="bluebonnet-bench-")
