import random
import tempfile
import unittest
from pathlib import Path

import power_loss
from power_loss import Folder
from system_calls import Operation, Reader


class Loss(unittest.TestCase):
    """A file that is written under another name, flushed and renamed, as downloads are."""

    def operations(self, *kinds: str) -> list[Operation]:
        data = b"a" * 5000 + b"b" * 5000
        all_of_them = {
            "create": Operation("create", 0, 0, "files/part", 1),
            "write": Operation("write", 0, 0, "files/part", 1, 0, data),
            "flush": Operation("fsync", 0, 0, "files/part", 1),
            "rename": Operation("rename", 0, 0, "files/part", 1, other="files/name"),
            "flush folder": Operation("fsync", 0, 0, "files"),
        }
        found = [all_of_them[kind] for kind in kinds]
        for number, operation in enumerate(found):
            operation.start = operation.end = number
        return found

    def states(self, ordered: bool, *kinds: str) -> set[tuple[str, bytes]]:
        """Everything that is found in many losses of power at the end."""
        found = set()
        operations = self.operations(*kinds)
        for seed in range(200):
            folder = power_loss.after_power_loss(
                Folder(folders={"files"}), operations, len(operations), ordered, random.Random(seed)
            )
            found.add(tuple((name, folder.contents.get(file, b"")) for name, file in folder.names.items()))
        return found

    def test_what_was_flushed_with_its_folder_is_there(self):
        for ordered in (True, False):
            found = self.states(ordered, "create", "write", "flush", "rename", "flush folder")
            self.assertEqual(found, {(("files/name", b"a" * 5000 + b"b" * 5000),)})

    def test_a_name_that_was_not_flushed_may_be_there_or_not(self):
        found = {names[0][0] for names in self.states(True, "create", "write", "flush", "rename")}
        self.assertEqual(found, {"files/part", "files/name"})

    def test_a_file_that_was_renamed_before_it_was_flushed_may_be_any_part_of_itself(self):
        contents = {
            data
            for names in self.states(True, "create", "write", "rename")
            for name, data in names
            if name == "files/name"
        }
        self.assertIn(b"", contents)
        self.assertIn(b"a" * 5000 + b"b" * 5000, contents)
        self.assertTrue(any(data.startswith(bytes(4096)) and data.endswith(b"b") for data in contents))

    def test_a_journal_keeps_a_prefix_of_the_metadata(self):
        operations = [
            Operation("create", 0, 0, "one", 1),
            Operation("create", 1, 1, "two", 2),
            Operation("fsync", 2, 2, "two", 2),
        ]
        for seed in range(50):
            folder = power_loss.after_power_loss(Folder(), operations, 3, True, random.Random(seed))
            self.assertEqual(set(folder.names), {"one", "two"})
        names = {
            frozenset(power_loss.after_power_loss(Folder(), operations, 3, False, random.Random(seed)).names)
            for seed in range(50)
        }
        self.assertIn(frozenset(), names)


class Log(unittest.TestCase):
    def operations(self, *lines: str, **files: int) -> list[Operation]:
        def in_hex(line: str) -> str:
            parts = line.split('"')
            return '"'.join(
                "".join(f"\\x{byte:02x}" for byte in part.encode()) if number % 2 else part
                for number, part in enumerate(parts)
            )

        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            log.write_text("\n".join(map(in_hex, lines)))
            return list(Reader(Path("/work folder"), files, dict.fromkeys(files.values(), 0), set()).operations(log))

    def test_a_call_of_two_lines_is_one_operation(self):
        found = self.operations(
            '7 openat(AT_FDCWD, "/work folder/a", O_RDWR|O_CREAT, 0644) = 5',
            '7 pwrite64(5, "text", 4, 10 <unfinished ...>',
            "8 fsync(5) = 0",
            "7 <... pwrite64 resumed>) = 3",
        )
        self.assertEqual([operation.kind for operation in found], ["create", "fsync", "write"])
        write = found[2]
        self.assertEqual((write.offset, write.data, write.start, write.end), (10, b"tex", 1, 3))

    def test_a_descriptor_that_is_being_closed_may_be_another_file_s(self):
        found = self.operations(
            '7 openat(AT_FDCWD, "/work folder/a", O_RDWR) = 5',
            "7 close(5 <unfinished ...>",
            '8 openat(AT_FDCWD, "/work folder/b", O_RDWR) = 5',
            "7 <... close resumed>) = 0",
            '8 write(5, "text", 4) = 4',
            a=1,
            b=2,
        )
        self.assertEqual([(operation.path, operation.data) for operation in found], [("b", b"text")])

    def test_failed_calls_and_files_elsewhere_are_left_out(self):
        found = self.operations(
            '7 unlink("/work folder/a") = -1 ENOENT (No such file or directory)',
            '7 unlink("/elsewhere/a") = 0',
            '7 sendto(9, "GET /name HTTP/1.1", 18, 0, NULL, 0) = 18',
        )
        self.assertEqual([(operation.kind, operation.path) for operation in found], [("request", "name")])
