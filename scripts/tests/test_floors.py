import tempfile
import unittest
from pathlib import Path

import floors

PLAN = """\
commands:
  "C.Core-x86_64-debug.module":
    tool: shell
    inputs: ["/src/A.swift"]
    args: ["/bin/swiftc","-module-name","Core","-c","/src/A.swift","@/out/sources","-I","/out/Modules"]

  "C.CoreTests-x86_64-debug.module":
    tool: shell
    args: ["/bin/swiftc","-module-name","CoreTests"]
"""


class Arguments(unittest.TestCase):
    def test_the_arguments_are_those_of_the_module(self):
        self.assertEqual(floors.build_arguments(PLAN, "Core")[:3], ["/bin/swiftc", "-module-name", "Core"])
        self.assertEqual(floors.build_arguments(PLAN, "CoreTests")[2], "CoreTests")

    def test_a_module_that_is_not_in_the_plan_is_an_error(self):
        with self.assertRaises(LookupError):
            floors.build_arguments(PLAN, "Cor")

    def test_sources_and_outputs_are_left_out_and_the_rest_stays(self):
        arguments = floors.type_check_arguments(
            ["swiftc", "-c", "@list", "A.swift", "-emit-module-path", "x", "-Xcc", "-g", "-DBrotli", "-warnings-as-errors"]
        )
        kept = ["swiftc", "-Xcc", "-g", "-DBrotli", "-warnings-as-errors"]
        self.assertEqual(arguments, [*kept, "-whole-module-optimization", "-typecheck"])


class Folders(unittest.TestCase):
    def test_every_folder_a_group_uses_is_in_a_group_before_it(self):
        known = set()
        for group, below in floors.GROUPS:
            with self.subTest(group):
                self.assertLessEqual(set(below), known)
            known |= set(group)

    def test_a_folder_of_code_on_no_floor_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ["Support", "Attic", "Bluebonnet.docc"]:
                (Path(folder) / name / "Inner").mkdir(parents=True)
            (Path(folder) / "Support/Inner/A.swift").touch()
            (Path(folder) / "Attic/Inner/B.swift").touch()
            self.assertEqual(floors.unlisted(Path(folder)), ["Attic"])
            self.assertEqual([Path(path).name for path in floors.sources(Path(folder), ["Support"])], ["A.swift"])


class Faults(unittest.TestCase):
    def test_an_error_is_shown_once(self):
        line = "A.swift:1:1: error: cannot find 'Engine' in scope"
        self.assertEqual(list(floors.faults(f"{line}\n note\n{line}\n", ["Support"])), [line])

    def test_output_without_an_error_is_shown_whole(self):
        self.assertIn("no such file", next(floors.faults("no such file", ["Support"])))
