"""The rounds of scripts/power-cuts: a recorded run, and what is left of it after losses of power."""

import http.server
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import power_loss
import system_calls
from power_loss import Folder

SECONDS_TO_RUN = 120
CUTS_IN_A_ROUND = 25
MOST_UNRECORDED = 20
PIECE = 16_384
# What the program tells the world: a power cut takes nothing of it back.
TOLD = {"results", "restored", "plan", "done"}
# Mapped into memory, and made anew when the database is opened after a crash.
SHARED_MEMORY = "-shm"


class Fault(Exception):
    """A promise that was not kept."""


class Unrecorded(Exception):
    """Threads did things at once in an order that the log does not show."""


@dataclass(frozen=True)
class Item:
    """A transfer of the program."""

    name: str
    kind: str  # file, named or upload
    bytes: bytes
    rate: float  # bytes per second while the program is recorded

    @property
    def file(self) -> str:
        """The path of its file in the end; what is uploaded is there from the beginning."""
        if self.kind == "upload":
            return self.name
        return f"files/{self.name} 2" if self.kind == "named" else f"files/{self.name}"


class Server(http.server.ThreadingHTTPServer):
    """A server that continues downloads (RFC 9110 §14), and knows what it was asked for."""

    daemon_threads = True

    def __init__(self, items: list[Item]):
        super().__init__(("127.0.0.1", 0), Handler)
        self.items = {item.name: item for item in items}
        self.asked: set[str] = set()
        self.is_slow = True
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        """A program that ended has closed its connections."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def item(self) -> Item:
        self.server.asked.add(self.path[1:])
        return self.server.items[self.path[1:]]

    def do_POST(self):
        is_right = self.rfile.read(int(self.headers["Content-Length"])) == self.item().bytes
        self.send_response(200 if is_right else 400)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        item = self.item()
        size, tag = len(item.bytes), '"1"'
        start, end = 0, size
        is_same = self.headers.get("If-Range", tag) == tag
        if (found := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))) and is_same:
            start, end = int(found[1]), min(int(found[2]) + 1, size) if found[2] else size
            self.send_response(206 if start < size else 416)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}" if start < size else f"bytes */{size}")
        else:
            self.send_response(200)
        self.send_header("ETag", tag)
        self.send_header("Content-Disposition", f'attachment; filename="{item.name}"')
        self.send_header("Content-Length", str(max(0, end - start)))
        self.end_headers()
        for position in range(start, end, PIECE):
            self.wfile.write(item.bytes[position : min(position + PIECE, end)])
            if self.server.is_slow:
                time.sleep(PIECE / item.rate)

    def log_message(self, *arguments):
        """Nothing is printed for a request."""


@dataclass
class Program:
    """A program that is recorded, and what it works at."""

    name: str
    command: list[str]
    items: list[Item]
    has_journal: bool

    def prepare(self, folder: Path, url: str):
        """Makes the folder in which the program is to work."""
        (folder / "files").mkdir(parents=True)
        for item in self.items:
            if item.kind == "upload":
                (folder / item.name).write_bytes(item.bytes)
            if item.kind == "named":
                (folder / "files" / item.name).write_text("old")
        kinds = "".join(f"{item.name} {item.kind}\n" for item in self.items)
        (folder / "plan").write_text(f"{url}\n{kinds}")

    def command_line(self, folder: Path, url: str) -> list[str]:
        """The command after another start of the machine."""
        boot = folder.parent / "boot"
        boot.write_text(f"{uuid.uuid4()}\n")
        script = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"'
        words = [word.format(folder=folder, url=url) for word in self.command]
        return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, str(boot), *words]

    def run(self, folder: Path, url: str):
        """Runs it to its end."""
        result = subprocess.run(
            self.command_line(folder, url),
            env={**os.environ, **environment(folder)},
            capture_output=True,
            text=True,
            timeout=SECONDS_TO_RUN,
        )
        if result.returncode != 0:
            raise Fault(f"the program failed: {(result.stderr or result.stdout)[-2000:]}")


def environment(folder: Path) -> dict[str, str]:
    return {"BLUEBONNET_POWER_CUTS": str(folder)}


def session_program(root: Path, chance: random.Random) -> Program:
    """The program of scripts/transfer-kills."""
    items = []
    for number in range(12):
        kind = {2: "named", 3: "upload"}.get(number % 4, "file")
        size = 50_000 if kind == "upload" else chance.randint(1, 900_000)
        # Some take longer than the five seconds after which their bytes are forced to the disk.
        rate = chance.choice([120_000, 1_000_000, 10_000_000])
        items.append(Item(f"{kind}{number}", kind, chance.randbytes(size), rate))
    tests = next((root / ".build" / "debug").glob("*PackageTests.xctest"))
    command = [str(tests), "--testing-library", "swift-testing", "--filter", "PowerCutTests"]
    return Program("session", command, items, has_journal=True)


def download_program(root: Path, chance: random.Random) -> Program:
    """The command, with one connection for each file or with several."""
    sizes = chance.sample([1, 4096, 70_000, 300_000, 1_000_000], 3)
    items = [
        Item(f"file{number}", "file", chance.randbytes(size), chance.choice([120_000, 1_000_000]))
        for number, size in enumerate(sizes)
    ]
    segments = []
    if chance.random() < 0.5:
        items = [Item("file0", "file", chance.randbytes(chance.randint(5_000_000, 10_000_000)), 900_000)]
        segments = ["--segments", "3"]
    command = [str(root / ".build" / "debug" / "BluebonnetCommand"), "download", "-d", "{folder}/files", "--continue"]
    urls = ["{url}/" + item.name for item in items]
    return Program("download", [*command, *segments, *urls], items, has_journal=False)


class Recording:
    """A run of a program from a folder on, to its end."""

    def __init__(self, program: Program, server: Server, folder: Path):
        self.program, self.server = program, server
        self.before = read(folder)
        # By the number of a file in the model: what the journal knows it by.
        self.identities = {file: identity(folder / path) for path, file in self.before.names.items()}
        log = folder.parent / "log"
        server.is_slow = True
        command = program.command_line(folder, server.url)
        status = system_calls.record(command, log, environment(folder), SECONDS_TO_RUN)
        if status != 0:
            raise Fault(f"the recorded program ended with {status}")
        sizes = {file: len(data) for file, data in self.before.contents.items()}
        reader = system_calls.Reader(folder, self.before.names, sizes, self.before.folders)
        self.operations = list(reader.operations(log))
        log.unlink()
        self.check(folder)
        # A file gets its name after its last change.
        self.identities |= {file: identity(folder / path) for path, file in reader.files.items()}

    def check(self, folder: Path):
        """Checks that the operations make the folder that is there."""
        model = self.before.copy()
        for operation in self.operations:
            model.apply(operation)
            if operation.kind in ("write", "truncate"):
                data = bytearray(model.contents.get(operation.file, b""))
                power_loss.write(data, operation)
                model.contents[operation.file] = bytes(data)
        found = read(folder)
        for path in {*model.names, *found.names} - TOLD:
            if path.endswith(SHARED_MEMORY):
                continue
            if model.contents.get(model.names.get(path), b"") != found.contents.get(found.names.get(path), b""):
                raise Unrecorded(f"the recording of {path} is not what happened")

    def cut(self, chance: random.Random) -> int:
        """A moment at which power is lost."""
        if chance.random() < 0.4:
            return chance.randint(0, len(self.operations))
        # Bytes are most of what happens, and names and flushes are where faults are.
        marks = [number for number, operation in enumerate(self.operations) if operation.kind != "write"]
        return chance.choice(marks) + chance.randint(0, 1)

    def told(self, cut: int, kind: str) -> str:
        """What the program had told until then."""
        text = [
            operation.data
            for operation in self.operations[:cut]
            if (operation.path == kind if kind else operation.kind == "output") and operation.data
        ]
        return b"".join(text).decode(errors="replace")


def read(folder: Path) -> Folder:
    """A folder as the model has it."""
    model = Folder()
    for number, path in enumerate(sorted(folder.rglob("*")), start=1):
        name = str(path.relative_to(folder))
        if path.is_dir():
            model.folders.add(name)
            continue
        model.names[name], model.contents[number] = number, path.read_bytes()
        model.attributes[number] = {key: os.getxattr(path, key) for key in os.listxattr(path)}
    return model


def identity(path: Path) -> tuple[int, int]:
    """The number and the time of change of a file."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns


def build(model: Folder, recording: Recording, cut: int, folder: Path):
    """Makes the folder anew, as the model has it."""
    shutil.rmtree(folder)
    folder.mkdir()
    for path in sorted(model.folders):
        (folder / path).mkdir(parents=True, exist_ok=True)
    nodes = {}
    for path, file in model.names.items():
        name = Path(path).name
        if name.endswith(SHARED_MEMORY) or path in TOLD and path != "plan":
            continue
        if not (folder / path).parent.is_dir():
            continue
        target = folder / path
        target.write_bytes(model.contents.get(file, b""))
        for key, value in model.attributes.get(file, {}).items():
            os.setxattr(target, key, value)
        if file in recording.identities:
            node, modified = recording.identities[file]
            os.utime(target, ns=(modified, modified))
            nodes[node] = target.stat().st_ino
    results = recording.before.contents.get(recording.before.names.get("results", 0), b"").decode()
    (folder / "results").write_text(results + recording.told(cut, "results"))
    for database in folder.rglob("bluebonnet.sqlite"):
        renumber(database, nodes)


def renumber(database: Path, nodes: dict[int, int]):
    """Gives the journal the numbers that the files have here, where it goes by them.

    A real file system keeps the number of a file; a folder that is made anew has others. Only a
    database that is about to go by one is changed: another one is opened by the program as it is.
    """
    with tempfile.TemporaryDirectory() as copy:
        for file in database.parent.glob(database.name + "*"):
            shutil.copy2(file, copy)
        changes = renumbered(Path(copy) / database.name, nodes)
    if changes:
        with sqlite3.connect(database) as connection:
            connection.executemany("UPDATE transfer SET data = ? WHERE identifier = ?", changes)
        connection.close()


def renumbered(database: Path, nodes: dict[int, int]) -> list[tuple[bytes, int]]:
    connection = sqlite3.connect(database)
    try:
        fault = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if fault != "ok":
            raise Fault(f"the database is damaged: {fault}")
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'transfer'").fetchone():
            return []
        changes = []
        for identifier, data in connection.execute("SELECT identifier, data FROM transfer"):
            record = json.loads(data)
            node = record.get("commit", {}).get("identity", {}).get("node")
            if node in nodes and not record.get("result"):
                record["commit"]["identity"]["node"] = nodes[node]
                changes.append((json.dumps(record).encode(), identifier))
        return changes
    except sqlite3.DatabaseError as error:
        raise Fault(f"the database does not open: {error}") from error
    finally:
        connection.close()


def reported(program: Program, recording: Recording, cut: int, folder: Path) -> set[str]:
    """The transfers of whose success the world had heard."""
    if program.has_journal:
        lines = (folder / "results").read_text().splitlines()
        if wrong := [line for line in lines if " error " in line]:
            raise Fault(f"a transfer failed: {wrong}")
        return {line.split()[0] for line in lines}
    text = recording.told(cut, "")
    return {item.name for item in program.items if re.search(rf"/{item.name}: {item.name}: .* in ", text)}


def check_files(program: Program, folder: Path, complete: set[str]):
    """Checks that no file is incomplete under its real name, and that some are there."""
    for item in program.items:
        if item.kind == "upload":
            continue
        file = folder / item.file
        if file.is_file():
            if file.read_bytes() != item.bytes:
                raise Fault(f"{item.file} is not what the server sent")
        elif item.name in complete:
            raise Fault(f"{item.file} was reported, and is not there")
        if item.kind == "named" and (folder / "files" / item.name).read_text() != "old":
            raise Fault(f"{item.name} was replaced")


def check(recording: Recording, cut: int, model: Folder, folder: Path):
    """Runs the program on what is left, and checks the promises."""
    program, server = recording.program, recording.server
    build(model, recording, cut, folder)
    complete = reported(program, recording, cut, folder)
    check_files(program, folder, complete)
    asked = {operation.path for operation in recording.operations[:cut] if operation.kind == "request"}
    server.asked, server.is_slow = set(), False
    program.run(folder, server.url)
    if again := server.asked & complete:
        raise Fault(f"{again} was reported, and was asked for again")
    everything = {item.name for item in program.items}
    if program.has_journal:
        restored = set((folder / "restored").read_text().split()) if (folder / "restored").exists() else set()
        if forgotten := asked - restored - complete:
            raise Fault(f"{forgotten} was begun, and is not in the database")
        if missing := everything - reported(program, recording, cut, folder):
            raise Fault(f"no result of {missing}")
    check_files(program, folder, everything)
    expected = {item.file for item in program.items if item.kind != "upload"}
    expected |= {f"files/{item.name}" for item in program.items if item.kind == "named"}
    found = {str(path.relative_to(folder)) for path in (folder / "files").iterdir()}
    if found != expected:
        raise Fault(f"{found ^ expected} is left over or missing")


class Cuts:
    """The cuts of one run of the script, and what they showed."""

    def __init__(self, root: Path, count: int, seed: int, unordered: bool):
        self.root, self.count, self.seed, self.unordered = root, count, seed, unordered
        self.chance = random.Random(seed)
        self.done = self.faults = self.rounds = self.operations = self.unrecorded = 0

    def lost(self, recording: Recording, cut: int, ordered: bool = True) -> Folder:
        return power_loss.after_power_loss(recording.before, recording.operations, cut, ordered, self.chance)

    def recording(self, program: Program, server: Server, folder: Path) -> Recording:
        program.prepare(folder, server.url)
        recording = Recording(program, server, folder)
        # Sometimes power is lost a second time, in the run after the first loss.
        if self.chance.random() < 0.4:
            cut = recording.cut(self.chance)
            build(self.lost(recording, cut), recording, cut, folder)
            recording = Recording(program, server, folder)
        return recording

    def round(self, folder: Path):
        """Records one program, and loses power in it some times."""
        program = self.chance.choice([session_program, session_program, download_program])(self.root, self.chance)
        server = Server(program.items)
        try:
            recording = self.recording(program, server, folder)
            self.rounds += 1
            self.operations += len(recording.operations)
            for _ in range(min(CUTS_IN_A_ROUND, self.count - self.done)):
                self.lose(recording, folder)
        except Unrecorded:
            self.unrecorded += 1
            if self.unrecorded > MOST_UNRECORDED:
                raise
        except Fault as fault:
            # A program that does not get to its end is one more.
            self.done += 1
            self.faults += 1
            print(f"power-cuts: {program.name}, while it was recorded: {fault}", flush=True)
        finally:
            server.shutdown()
            server.server_close()

    def lose(self, recording: Recording, folder: Path):
        """Loses power once."""
        self.done += 1
        cut = recording.cut(self.chance)
        ordered = not self.unordered or self.chance.random() < 0.5
        try:
            check(recording, cut, self.lost(recording, cut, ordered), folder)
        except (Fault, subprocess.TimeoutExpired) as fault:
            self.faults += 1
            last = recording.operations[cut - 1] if cut else None
            place = f"{last.kind} {last.path} {last.other}".strip() if last else "the beginning"
            order = "" if ordered else ", without order"
            print(f"power-cuts: {recording.program.name}, after {place}{order}: {fault}", flush=True)

    def run(self):
        # The journal has paths, so that each run has the same folder.
        while self.done < self.count:
            with tempfile.TemporaryDirectory(prefix="bluebonnet-power-") as name:
                self.round(Path(name) / "work")
        print(
            f"power-cuts: {self.done} cuts in {self.rounds} runs of {self.operations} operations,"
            f" {self.faults} faults, seed {self.seed}"
        )


def main(root: Path, count: int = 300, seed: int | None = None, unordered: bool = False) -> int:
    cuts = Cuts(root, count, random.randrange(1 << 32) if seed is None else seed, unordered)
    cuts.run()
    return 1 if cuts.faults else 0
