"""What a program does to the files of a folder, as strace saw it.

`record` runs a program under strace; `operations` reads the log. Each operation has the numbers of
the lines at which it began and ended, so that what happened before what is certain.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

CALLS = (
    "open openat creat close dup dup2 dup3 fcntl lseek write pwrite64 writev pwritev pwritev2 sendto sendmsg"
    " ftruncate truncate fallocate fsync fdatasync sync_file_range rename renameat renameat2 link linkat unlink"
    " unlinkat mkdir mkdirat rmdir setxattr fsetxattr removexattr fremovexattr copy_file_range sendfile splice"
).split()
# These would move bytes that the log does not have.
UNREADABLE = {"copy_file_range", "sendfile", "splice"}
LONGEST_DATA = 1 << 26

LINE = re.compile(r"(\d+)\s+(.*)", re.DOTALL)
RESUMED = re.compile(r"<\.\.\. \w+ resumed>(.*)", re.DOTALL)
CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+|\?)", re.DOTALL)
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
NAMES_OF_REQUESTS = re.compile(rb"(?:GET|POST) /(\S+) HTTP/1")


@dataclass
class Operation:
    """A change of a folder, a flush of it, or what others saw of the program.

    The kinds are `create`, `mkdir`, `write`, `truncate`, `rename`, `link`, `unlink`, `setxattr`,
    `removexattr`, `fsync`, `fdatasync`, `request` and `output`.
    """

    kind: str
    start: int
    end: int
    path: str = ""  # in the folder, at that time; the name of what was asked for
    file: int = 0  # the number of the file
    offset: int = 0
    data: bytes = b""
    other: str = ""  # the new name, or the name of an attribute


def record(command: Sequence[str], log: Path, environment: dict[str, str], seconds: float) -> int:
    """Runs a program, and returns its status."""
    strace = ["strace", "-f", "-qq", "--seccomp-bpf", "-xx", "-s", str(LONGEST_DATA), "-e", "signal=none"]
    strace += ["-e", "trace=" + ",".join(CALLS), "-o", str(log)]
    result = subprocess.run(
        [*strace, *command], env={**os.environ, **environment}, capture_output=True, timeout=seconds
    )
    return result.returncode


def calls(log: Path) -> Iterator[tuple[int, int, str, str, int]]:
    """The calls that succeeded, in the order of their ends: start, end, name, arguments, result.

    `close` counts as ended when it begins.
    """
    begun: dict[str, tuple[int, str]] = {}
    with log.open() as lines:
        for number, line in enumerate(lines):
            found = LINE.match(line.rstrip("\n"))
            if not found:
                continue
            process, text = found.groups()
            start = number
            if resumed := RESUMED.match(text):
                start, first = begun.pop(process, (number, ""))
                text = first + resumed[1]  # nothing of a close
            elif text.endswith("<unfinished ...>"):
                text = text.removesuffix("<unfinished ...>")
                if not text.startswith("close("):
                    begun[process] = (number, text)
                    continue
                # Another thread may have its descriptor for another file before it ends.
                text = f"{text.rstrip()}) = 0"
            if (call := CALL.match(text)) and call[3] != "?" and int(call[3]) >= 0:
                yield start, number, call[1], call[2], int(call[3])


class Reader:
    """Turns calls into operations. Follows descriptors, positions and names."""

    def __init__(self, folder: Path, files: dict[str, int], sizes: dict[int, int], folders: set[str]):
        """A reader of what happens in a folder, which has these files, with numbers and sizes."""
        self.folder = str(folder) + "/"
        self.folders = {"", *folders}
        self.files = dict(files)
        self.next = max(files.values(), default=0) + 1
        self.open: dict[int, tuple[str, int, bool]] = {}  # path at the time, file, whether it appends
        self.position: dict[int, int] = {}
        self.size = dict(sizes)

    def relative(self, path: bytes) -> str | None:
        """A path in the folder, `` for the folder itself; None for one elsewhere."""
        text = os.path.normpath(os.fsdecode(path)) + ("/" if path.endswith(b"/") else "")
        if text.rstrip("/") + "/" == self.folder:
            return ""
        return text.removeprefix(self.folder).rstrip("/") if text.startswith(self.folder) else None

    def operations(self, log: Path) -> Iterator[Operation]:
        for start, end, name, text, result in calls(log):
            texts = [bytes.fromhex(found.replace("\\x", "")) for found in TEXT.findall(text)]
            words = [word.strip() for word in TEXT.sub("@", text).split(",")]
            handler = getattr(self, "call_" + name, None)
            if handler:
                for operation in handler(words, texts, result):
                    operation.start, operation.end = start, end
                    yield operation
            elif name in UNREADABLE and any(word.isdigit() and int(word) in self.open for word in words):
                raise ValueError(f"{name} of a file cannot be recorded")

    # Descriptors

    def call_openat(self, words, texts, result):
        path = self.relative(texts[0])
        self.open.pop(result, None)
        if path is None:
            return
        flags = words[2] if len(words) > 2 else ""
        is_folder = path in self.folders
        if not is_folder and path not in self.files:
            self.files[path] = self.next
            self.next += 1
            yield Operation("create", 0, 0, path, self.files[path])
        file = 0 if is_folder else self.files[path]
        if "O_TRUNC" in flags and self.size.get(file, 1):
            self.size[file] = 0
            yield Operation("truncate", 0, 0, path, file)
        self.open[result] = (path, file, "O_APPEND" in flags)
        self.position[result] = 0

    def call_open(self, words, texts, result):
        return self.call_openat(["", *words], texts, result)

    def call_close(self, words, texts, result):
        self.open.pop(int(words[0]), None)
        return ()

    def call_dup(self, words, texts, result):
        if int(words[0]) in self.open:
            self.open[result] = self.open[int(words[0])]
            self.position[result] = 0
        else:
            self.open.pop(result, None)
        return ()

    call_dup2 = call_dup3 = call_dup

    def call_fcntl(self, words, texts, result):
        return self.call_dup(words, texts, result) if words[1].startswith("F_DUPFD") else ()

    def call_lseek(self, words, texts, result):
        self.position[int(words[0])] = result
        return ()

    # Bytes

    def written(self, descriptor: int, data: bytes, offset: int | None):
        if descriptor not in self.open:
            if found := NAMES_OF_REQUESTS.match(data):
                yield Operation("request", 0, 0, found[1].decode())
            elif descriptor in (1, 2):
                yield Operation("output", 0, 0, data=data)
            return
        path, file, appends = self.open[descriptor]
        if offset is None:
            offset = self.size.get(file, 0) if appends else self.position[descriptor]
            self.position[descriptor] = offset + len(data)
        self.size[file] = max(self.size.get(file, 0), offset + len(data))
        yield Operation("write", 0, 0, path, file, offset, data)

    def call_write(self, words, texts, result):
        return self.written(int(words[0]), b"".join(texts)[:result], None)

    call_writev = call_sendto = call_write

    def call_sendmsg(self, words, texts, result):
        return self.written(int(words[0]), texts[-1][:result] if texts else b"", None)

    def call_pwrite64(self, words, texts, result):
        return self.written(int(words[0]), b"".join(texts)[:result], int(words[3]))

    def call_pwritev(self, words, texts, result):
        return self.written(int(words[0]), b"".join(texts)[:result], int(words[-1]))

    def call_pwritev2(self, words, texts, result):
        return self.written(int(words[0]), b"".join(texts)[:result], int(words[-2]))

    def call_ftruncate(self, words, texts, result):
        if int(words[0]) in self.open:
            path, file, _ = self.open[int(words[0])]
            self.size[file] = int(words[1])
            yield Operation("truncate", 0, 0, path, file, int(words[1]))

    def call_fallocate(self, words, texts, result):
        # With it, only room is reserved.
        if int(words[0]) in self.open and "KEEP_SIZE" not in words[1]:
            raise ValueError("fallocate changes a file")
        return ()

    # Flushes

    def call_fsync(self, words, texts, result, kind="fsync"):
        if int(words[0]) in self.open:
            path, file, _ = self.open[int(words[0])]
            yield Operation(kind, 0, 0, path, file)

    def call_fdatasync(self, words, texts, result):
        return self.call_fsync(words, texts, result, "fdatasync")

    # Names

    def call_rename(self, words, texts, result):
        old, new = self.relative(texts[0]), self.relative(texts[1])
        if old is None or new is None:
            return
        self.files[new] = self.files.pop(old)
        yield Operation("rename", 0, 0, old, self.files[new], other=new)

    call_renameat = call_renameat2 = call_rename

    def call_link(self, words, texts, result):
        old, new = self.relative(texts[0]), self.relative(texts[1])
        if old is not None and new is not None:
            self.files[new] = self.files[old]
            yield Operation("link", 0, 0, old, self.files[new], other=new)

    call_linkat = call_link

    def call_unlink(self, words, texts, result):
        path = self.relative(texts[0])
        if path is not None:
            yield Operation("unlink", 0, 0, path, self.files.pop(path, 0))

    call_unlinkat = call_unlink

    def call_mkdir(self, words, texts, result):
        path = self.relative(texts[0])
        if path:
            self.folders.add(path)
            yield Operation("mkdir", 0, 0, path)

    call_mkdirat = call_mkdir

    # Attributes

    def call_fsetxattr(self, words, texts, result):
        if int(words[0]) in self.open:
            path, file, _ = self.open[int(words[0])]
            yield Operation("setxattr", 0, 0, path, file, data=texts[1], other=texts[0].decode())

    def call_fremovexattr(self, words, texts, result):
        if int(words[0]) in self.open:
            path, file, _ = self.open[int(words[0])]
            yield Operation("removexattr", 0, 0, path, file, other=texts[0].decode())
