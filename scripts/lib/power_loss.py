"""What a file system may have after a loss of power.

The model: what was flushed is there. Of what was written later, each page of 4 KiB has any of its
later contents or none. Names, attributes and cut sizes are metadata.

- A file system with a journal keeps the order of metadata: a prefix of the changes is there, at
  least up to the last one that was flushed. A size grows after its bytes, and so not before earlier
  metadata (ext4, XFS, Btrfs, ZFS).
- Without order, each name that was not flushed is there or not, whatever the others are; only the
  changes of one file by itself keep their order (F2FS, which recovers each file that was flushed).
"""

import random
from dataclasses import dataclass, field

from system_calls import Operation

PAGE = 4096
METADATA = {"create", "mkdir", "rename", "link", "unlink", "setxattr", "removexattr", "truncate"}
NAMES = {"create", "mkdir", "rename", "link", "unlink"}


@dataclass
class Folder:
    """The files of a folder: their numbers by their paths, and what is in them."""

    names: dict[str, int] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    contents: dict[int, bytes] = field(default_factory=dict)
    attributes: dict[int, dict[str, bytes]] = field(default_factory=dict)

    def copy(self) -> "Folder":
        return Folder(
            dict(self.names),
            set(self.folders),
            dict(self.contents),
            {file: dict(values) for file, values in self.attributes.items()},
        )

    def apply(self, operation: Operation):
        """Changes names and attributes. One whose condition is not met changes nothing."""
        match operation.kind:
            case "create":
                self.names.setdefault(operation.path, operation.file)
            case "mkdir":
                self.folders.add(operation.path)
            case "rename" if self.names.get(operation.path) == operation.file:
                self.names[operation.other] = self.names.pop(operation.path)
            case "rename":
                # Without order a new name may be there without the old one having been.
                self.names[operation.other] = operation.file
            case "link":
                self.names[operation.other] = operation.file
            case "unlink" if self.names.get(operation.path) == operation.file:
                del self.names[operation.path]
            case "setxattr":
                self.attributes.setdefault(operation.file, {})[operation.other] = operation.data
            case "removexattr":
                self.attributes.get(operation.file, {}).pop(operation.other, None)


def parent(path: str) -> str:
    return path.rpartition("/")[0]


def flushes(sync: Operation, change: Operation, ordered: bool) -> bool:
    """Whether a flush that ended makes a change of metadata certain."""
    if change.end >= sync.start:
        return False
    if not sync.file:
        paths = [path for path in (change.path, change.other) if path]
        return change.kind in NAMES and all(parent(path) == sync.path for path in paths)
    if change.file != sync.file:
        return False
    if change.kind == "truncate":
        return True
    if change.kind in NAMES:
        # POSIX does not promise it; journals do, for they keep a new file and its name together.
        return ordered and (sync.kind == "fsync" or change.kind == "create")
    return sync.kind == "fsync"


def after_power_loss(
    before: Folder, operations: list[Operation], cut: int, ordered: bool, chance: random.Random
) -> Folder:
    """What is there when power is lost before the operation with the number `cut`.

    `operations` are in the order of their ends.
    """
    done = operations[:cut]
    syncs = [operation for operation in done if operation.kind in ("fsync", "fdatasync")]
    metadata = [operation for operation in done if operation.kind in METADATA]
    certain = [any(flushes(sync, change, ordered) for sync in syncs) for change in metadata]
    end = done[-1].end + 1 if done else 0
    if ordered:
        kept, limit = prefix(metadata, certain, end, chance)
        limits: dict[int, int] = {}
    else:
        part, limit = chance.choice([0, 0.5, 1]), end
        names = [(change, sure) for change, sure in zip(metadata, certain) if change.kind in NAMES]
        kept = [change for change, is_certain in names if is_certain or chance.random() < part]
        limits = {}
        for file in {change.file for change in metadata if change.kind not in NAMES}:
            own = [pair for pair in zip(metadata, certain) if pair[0].file == file and pair[0].kind not in NAMES]
            more, limits[file] = prefix([change for change, _ in own], [sure for _, sure in own], end, chance)
            kept += more
        kept.sort(key=lambda change: change.end)
    result = before.copy()
    for change in kept:
        result.apply(change)
    is_kept = {id(change) for change in kept}
    for file in {operation.file for operation in done if operation.kind in ("write", "truncate")}:
        changes = [
            operation
            for operation in done
            if operation.file == file
            and (operation.kind == "write" or operation.kind == "truncate" and id(operation) in is_kept)
        ]
        flushed = max((sync.start for sync in syncs if sync.file == file), default=-1)
        result.contents[file] = content(
            before.contents.get(file, b""), changes, flushed, limits.get(file, limit), chance
        )
    return result


def prefix(
    metadata: list[Operation], certain: list[bool], end: int, chance: random.Random
) -> tuple[list[Operation], int]:
    """The first of some changes, at least up to the last certain one, and when they end."""
    least = max((index + 1 for index, is_certain in enumerate(certain) if is_certain), default=0)
    count = chance.choice([least, len(metadata), chance.randint(least, len(metadata))])
    return metadata[:count], metadata[count].end if count < len(metadata) else end


def content(old: bytes, changes: list[Operation], flushed: int, limit: int, chance: random.Random) -> bytes:
    """The bytes of a file, of which everything is certain that ended before a flush began."""
    certain = [change for change in changes if change.end < flushed]
    later = [change for change in changes if change.end >= flushed]
    data = bytearray(old)
    for change in certain:
        write(data, change)
    part = chance.choice([0, 0.5, 1])
    # A cut of the file is metadata, and was decided with it.
    cuts = [index for index, change in enumerate(later) if change.kind == "truncate"]
    grown = [index for index, change in enumerate(later) if change.kind == "write" and change.end < limit]
    last = max(cuts, default=-1)
    sizes = grown if part == 1 else [index for index in grown if chance.random() < part]
    end = max([last, *sizes[: chance.randint(0, len(sizes)) if part == 0.5 else None]], default=-1)
    whole = bytearray(data)
    for change in later[: end + 1]:
        write(whole, change)
    size = len(whole)
    # Each page may be older than the size, and newer.
    for change in later:
        if change.kind == "truncate":
            del data[change.offset :]
            continue
        for first, piece in pages(change):
            if chance.random() < part:
                if len(data) < first + len(piece):
                    data.extend(bytes(first + len(piece) - len(data)))
                data[first : first + len(piece)] = piece
    del data[size:]
    data.extend(bytes(size - len(data)))
    return bytes(data)


def write(data: bytearray, change: Operation):
    """Changes the bytes of a file."""
    size = change.offset if change.kind == "truncate" else change.offset + len(change.data)
    if len(data) < size:
        data.extend(bytes(size - len(data)))
    if change.kind == "truncate":
        del data[size:]
    else:
        data[change.offset : size] = change.data


def pages(change: Operation):
    """The pieces of a write, none over the end of a page."""
    start, end = change.offset, change.offset + len(change.data)
    while start < end:
        stop = min(end, start - start % PAGE + PAGE)
        yield start, change.data[start - change.offset : stop - change.offset]
        start = stop
