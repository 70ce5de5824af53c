import tempfile
import unittest
from pathlib import Path

import house_rules


def sentences(path, text, own=None):
    return [f"{number}: {sentence}" for number, sentence in house_rules.check(path, text.splitlines(), own)]


def prose(path, text):
    return [number for number, _ in house_rules.long_prose(path, text.splitlines())]


class Files(unittest.TestCase):
    def test_a_swift_file_has_at_most_500_lines(self):
        self.assertEqual(sentences("Tests/A.swift", "\n" * 500), [])
        self.assertIn("501 lines", sentences("Tests/A.swift", "\n" * 501)[0])
        self.assertEqual(sentences("CHANGELOG.md", "\n" * 501), [])

    def test_markers_of_unfinished_work_are_found_in_every_file(self):
        self.assertEqual(len(sentences("README.md", "fine\n// TO" + "DO: more")), 1)
        self.assertEqual(sentences("README.md", "TODOS and METHOD" + "OLOGY"), [])

    def test_a_file_that_is_not_text_is_not_read(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"\xff\xfe\x00")
            file.flush()
            self.assertIsNone(house_rules.lines_of(file.name))


class OwnPaths(unittest.TestCase):
    own = house_rules.own_paths(Path("/home/ann"), Path("/home/ann/src/bluebonnet"))

    def test_a_path_in_the_folder_of_the_user_is_found(self):
        for text in ["cd /home/ann", "`/home/ann/x`", "-I/home/ann".replace("-I", "-I "), '"/home/ann"']:
            with self.subTest(text):
                self.assertEqual(len(sentences("README.md", text, self.own)), 1)

    def test_a_path_outside_the_folder_of_the_user_is_not_found(self):
        for text in ["/home/anna", "/dev/home/ann", "x/home/ann", "/home/bob", "/home/ann-2"]:
            with self.subTest(text):
                self.assertEqual(sentences("README.md", text, self.own), [])

    def test_a_clone_right_below_the_root_has_no_forbidden_paths(self):
        self.assertIsNone(house_rules.own_paths(Path("/"), Path("/src")))


class Reasons(unittest.TestCase):
    def test_unsafe_code_in_sources_needs_a_reason_beside_it(self):
        for code in ["fatalError()", "final class A: @unchecked Sendable {", "nonisolated(unsafe) var a = 1"]:
            with self.subTest(code):
                self.assertEqual(len(sentences("Sources/A/A.swift", code)), 1)
                self.assertEqual(sentences("Sources/A/A.swift", f"{code}  // It cannot happen."), [])
                self.assertEqual(sentences("Sources/A/A.swift", f"// It cannot happen.\n{code}"), [])
                self.assertEqual(sentences("Tests/A/A.swift", code), [])

    def test_a_doc_comment_is_a_reason_only_if_it_names_the_unsafe_code(self):
        code = "final class A: @unchecked Sendable {"
        self.assertEqual(len(sentences("Sources/A/A.swift", f"/// A class.\n{code}")), 1)
        self.assertEqual(sentences("Sources/A/A.swift", f"/// A class.\n///\n/// Unchecked, for it is locked.\n{code}"), [])

    def test_a_comment_may_name_unsafe_code(self):
        self.assertEqual(sentences("Sources/A/A.swift", "/// Never calls fatalError().\n// try! as! fatalError("), [])

    def test_a_comment_with_an_empty_line_below_is_not_a_reason(self):
        self.assertEqual(len(sentences("Sources/A/A.swift", "// Reason.\n\nfatalError()")), 1)


class Foundation(unittest.TestCase):
    def test_the_core_may_not_import_foundation(self):
        for code in ["import Foundation", "public import Foundation", "@preconcurrency import FoundationNetworking",
                     "import struct Foundation.Data", "    internal import FoundationXML"]:
            with self.subTest(code):
                self.assertEqual(len(sentences("Sources/Bluebonnet/A.swift", code)), 1)
                self.assertEqual(sentences("Sources/BluebonnetFoundation/A.swift", code), [])
                self.assertEqual(sentences("Tests/BluebonnetTests/A.swift", code), [])

    def test_the_core_may_import_foundation_where_foundation_essentials_is_missing(self):
        code = "#if canImport(FoundationEssentials)\n    import FoundationEssentials\n#else\n    import Foundation\n#endif"
        self.assertEqual(sentences("Sources/Bluebonnet/A.swift", code), [])


class Counterparts(unittest.TestCase):
    types = ["public struct A {", "public final class A: B {", "public enum A {", "public protocol A {", "public actor A {",
             "@frozen public struct A<B: C> {", "public indirect enum A {", "open class A {"]

    def test_the_doc_comment_of_a_public_type_names_a_counterpart(self):
        for code in self.types:
            with self.subTest(code):
                for path in ["Sources/Bluebonnet/Curl/A.swift", "Sources/BluebonnetFoundation/A.swift"]:
                    self.assertIn("`A` names no counterpart", sentences(path, f"/// A type.\n{code}")[0])
                    self.assertIn("2: ", sentences(path, f"/// A type.\n{code}")[0])
                    self.assertEqual(sentences(path, f"/// A type.\n///\n/// Counterpart of `AFA`.\n{code}"), [])
                    self.assertEqual(sentences(path, f"/// No counterpart in AFNetworking or Alamofire.\n@x\n{code}"), [])
                self.assertEqual(sentences("Sources/LocalServer/A.swift", code), [])
                self.assertEqual(sentences("Tests/BluebonnetTests/A.swift", code), [])

    def test_a_comment_that_is_not_a_doc_comment_of_the_type_names_no_counterpart(self):
        code = "public struct A {"
        for above in ["// Counterpart of `AFA`.", "/// Counterpart of `AFA`.\n", "/// Counterpart of `AFA`.\nlet a = 1"]:
            with self.subTest(above):
                self.assertEqual(len(sentences("Sources/Bluebonnet/Curl/A.swift", f"{above}\n{code}")), 1)

    def test_types_in_types_and_types_that_are_not_public_need_no_counterpart(self):
        for code in ["    public struct A {", "struct A {", "public extension A {", "public let structure = 1",
                     "package final class A {", "public func enumerate() {"]:
            with self.subTest(code):
                self.assertEqual(sentences("Sources/Bluebonnet/Curl/A.swift", code), [])

    def test_the_folders_of_counterparts_exist(self):
        repository = Path(__file__).resolve().parent.parent.parent
        for folder in house_rules.COUNTERPART_FOLDERS:
            with self.subTest(folder):
                self.assertTrue((repository / folder).is_dir())


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

    def test_markdown_outside_of_tables_and_code_ends_at_column_100(self):
        self.assertEqual(prose("A.md", f"{self.long}\n- {self.long}"), [1, 2])
        self.assertEqual(prose("A.md", f"| {self.long} |\n    {self.long}\n```\n{self.long}\n```\n[a]: {self.long}"), [])

    def test_a_word_that_cannot_be_wrapped_may_be_long(self):
        address = "https://example.com/" + "a" * 100
        self.assertEqual(prose("A.md", address), [])
        self.assertEqual(prose("A.swift", f"// {address}"), [])


class Short(unittest.TestCase):
    def test_a_swift_file_of_15_lines_is_short(self):
        self.assertTrue(house_rules.is_short("A.swift", [""] * 15))
        self.assertFalse(house_rules.is_short("A.swift", [""] * 16))
        self.assertFalse(house_rules.is_short("A.md", [""]))
        self.assertFalse(house_rules.is_short("Examples/A/Package.swift", [""]))
