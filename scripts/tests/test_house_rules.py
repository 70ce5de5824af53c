import tempfile
import unittest
from pathlib import Path

import house_rules


def sentences(path, text, own=None):
    return [f"{number}: {sentence}" for number, sentence in house_rules.check(path, text.splitlines(), own)]


def prose(path, text):
    return [number for number, _ in house_rules.long_prose(path, text.splitlines())]


class Files(unittest.TestCase):
    def test_a_file_of_500_lines_is_long_enough(self):
        self.assertEqual(sentences("Tests/A.swift", "\n" * 500), [])
        self.assertIn("501 lines", sentences("Tests/A.swift", "\n" * 501)[0])
        self.assertEqual(sentences("CHANGELOG.md", "\n" * 501), [])

    def test_unfinished_work_is_found_in_every_file(self):
        self.assertEqual(len(sentences("README.md", "fine\n// TO" + "DO: more")), 1)
        self.assertEqual(sentences("README.md", "TODOS and METHOD" + "OLOGY"), [])

    def test_a_file_that_is_not_text_is_skipped(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"\xff\xfe\x00")
            file.flush()
            self.assertIsNone(house_rules.lines_of(file.name))


class OwnPaths(unittest.TestCase):
    own = house_rules.own_paths(Path("/home/ann"), Path("/home/ann/src/bluebonnet"))

    def test_the_folder_of_the_user_is_found(self):
        for text in ["cd /home/ann", "`/home/ann/x`", "-I/home/ann".replace("-I", "-I "), '"/home/ann"']:
            with self.subTest(text):
                self.assertEqual(len(sentences("README.md", text, self.own)), 1)

    def test_other_paths_are_not(self):
        for text in ["/home/anna", "/dev/home/ann", "x/home/ann", "/home/bob", "/home/ann-2"]:
            with self.subTest(text):
                self.assertEqual(sentences("README.md", text, self.own), [])

    def test_a_clone_directly_below_the_root_makes_no_word_an_error(self):
        self.assertIsNone(house_rules.own_paths(Path("/"), Path("/src")))


class Reasons(unittest.TestCase):
    def test_each_needs_a_reason(self):
        for code in ["fatalError()", "final class A: @unchecked Sendable {", "nonisolated(unsafe) var a = 1"]:
            with self.subTest(code):
                self.assertEqual(len(sentences("Sources/A/A.swift", code)), 1)
                self.assertEqual(sentences("Sources/A/A.swift", f"{code}  // It cannot happen."), [])
                self.assertEqual(sentences("Sources/A/A.swift", f"// It cannot happen.\n{code}"), [])
                self.assertEqual(sentences("Tests/A/A.swift", code), [])

    def test_a_doc_comment_counts_only_with_one_of_the_words(self):
        code = "final class A: @unchecked Sendable {"
        self.assertEqual(len(sentences("Sources/A/A.swift", f"/// A class.\n{code}")), 1)
        self.assertEqual(sentences("Sources/A/A.swift", f"/// A class.\n///\n/// Unchecked, for it is locked.\n{code}"), [])

    def test_a_comment_may_speak_of_them(self):
        self.assertEqual(sentences("Sources/A/A.swift", "/// Never calls fatalError().\n// try! as! fatalError("), [])

    def test_a_comment_with_a_line_between_is_not_beside_it(self):
        self.assertEqual(len(sentences("Sources/A/A.swift", "// Reason.\n\nfatalError()")), 1)


class Foundation(unittest.TestCase):
    def test_the_core_imports_the_essentials_only(self):
        for code in ["import Foundation", "public import Foundation", "@preconcurrency import FoundationNetworking",
                     "import struct Foundation.Data", "    internal import FoundationXML"]:
            with self.subTest(code):
                self.assertEqual(len(sentences("Sources/Bluebonnet/A.swift", code)), 1)
                self.assertEqual(sentences("Sources/BluebonnetFoundation/A.swift", code), [])
                self.assertEqual(sentences("Tests/BluebonnetTests/A.swift", code), [])

    def test_foundation_is_allowed_in_the_else_of_a_platform_without_the_essentials(self):
        code = "#if canImport(FoundationEssentials)\n    import FoundationEssentials\n#else\n    import Foundation\n#endif"
        self.assertEqual(sentences("Sources/Bluebonnet/A.swift", code), [])


class Prose(unittest.TestCase):
    long = "word " * 20 + "end"  # 103 columns

    def test_comments_end_at_column_100(self):
        fitting = "// " + "a " * 48 + "b"
        self.assertEqual(len(fitting), 100)
        self.assertEqual(prose("A.swift", fitting), [])
        self.assertEqual(prose("A.swift", fitting + "c"), [1])
        self.assertEqual(prose("A.swift", f"let a = 1\n    /// {self.long}"), [2])
        self.assertEqual(prose("A.swift", f"let a = 1  // {self.long}"), [1])
        self.assertEqual(prose("scripts/lint", f"# {self.long}"), [1])

    def test_code_is_not_prose(self):
        self.assertEqual(prose("A.swift", f'let a = "{self.long}"'), [])
        self.assertEqual(prose("A.swift", f'let a = "https://example.com/{self.long}"'), [])
        self.assertEqual(prose("A.swift", f"/// ```swift\n/// {self.long}\n/// ```\n/// {self.long}"), [4])
        self.assertEqual(prose("A.swift", f"///     {self.long}"), [])
        self.assertEqual(prose("A.json", f"// {self.long}"), [])

    def test_markdown_outside_of_tables_and_code(self):
        self.assertEqual(prose("A.md", f"{self.long}\n- {self.long}"), [1, 2])
        self.assertEqual(prose("A.md", f"| {self.long} |\n    {self.long}\n```\n{self.long}\n```\n[a]: {self.long}"), [])

    def test_a_word_that_cannot_be_wrapped_may_be_long(self):
        address = "https://example.com/" + "a" * 100
        self.assertEqual(prose("A.md", address), [])
        self.assertEqual(prose("A.swift", f"// {address}"), [])


class Short(unittest.TestCase):
    def test_15_lines_are_short(self):
        self.assertTrue(house_rules.is_short("A.swift", [""] * 15))
        self.assertFalse(house_rules.is_short("A.swift", [""] * 16))
        self.assertFalse(house_rules.is_short("A.md", [""]))
        self.assertFalse(house_rules.is_short("Examples/A/Package.swift", [""]))
