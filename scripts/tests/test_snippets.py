import tempfile
import textwrap
import unittest
from pathlib import Path

import snippets


def read(text: str) -> list[snippets.Snippet]:
    return list(snippets.snippets("A.md", textwrap.dedent(text)))


class Blocks(unittest.TestCase):
    def test_only_swift_blocks_are_taken_with_their_lines(self):
        found = read("""\
            # Title

            ```swift
            one()
            ```

            ```json
            {}
            ```

            ```swift
            two()
            ```
            """)
        self.assertEqual([(snippet.block.text, snippet.block.line) for snippet in found], [("one()\n", 4), ("two()\n", 12)])

    def test_the_indentation_of_a_block_in_a_list_is_removed(self):
        [snippet] = read("""\
            - a point:

              ```swift
              if true {
                  one()
              }
              ```
            """)
        self.assertEqual(snippet.block.text, "if true {\n    one()\n}\n")

    def test_a_block_with_imports_is_the_whole_file(self):
        [snippet] = read("""\
            <!-- snippets: let api = 1 -->
            ```swift
            import Bluebonnet
            one()
            ```
            """)
        self.assertTrue(snippet.is_whole_file)
        self.assertEqual(snippet.file(), '#sourceLocation(file: "A.md", line: 3)\nimport Bluebonnet\none()\n#sourceLocation()\n')

    def test_declarations_that_cannot_be_local_stand_at_the_top_level_with_the_usual_imports(self):
        [snippet] = read("```swift\nextension Array {}\n```\n")
        self.assertTrue(snippet.is_whole_file)
        self.assertFalse(snippet.is_library)
        self.assertTrue(snippet.file().startswith("import Bluebonnet\n"))
        self.assertTrue(read("```swift\n@main\nstruct App {}\n```\n")[0].is_library)

    def test_a_manifest_is_known_by_its_import_also_in_hidden_code(self):
        found = read("""\
            <!-- snippet:
            import PackageDescription
            let package = Package(name: "App",
            …
            ) -->
            ```swift
            dependencies: []
            ```
            """)
        self.assertTrue(found[0].is_manifest)
        code = "".join(line for line in found[0].file().splitlines() if not line.startswith("#"))
        self.assertEqual(code, 'import PackageDescriptionlet package = Package(name: "App",dependencies: [])')

    def test_other_blocks_stand_in_a_function_inside_the_scopes_of_hidden_code(self):
        [snippet] = read("""\
            <!-- snippets: let api = 1 -->
            <!-- snippet:
            import Dispatch
            let user = 2 -->
            ```swift
            let api = user
            ```
            """)
        lines = [line.strip() for line in snippet.function("block").splitlines() if not line.startswith("#")]
        start = lines.index("func block() async throws {")
        self.assertIn("import Dispatch", lines[:start])
        self.assertNotIn("import Dispatch", lines[start:])
        self.assertEqual(
            [line for line in lines[start:] if line],
            ["func block() async throws {", "let api = 1", "do {", "let user = 2", "do {", "let api = user", "}", "}", "}"],
        )

    def test_hidden_code_around_a_block_is_one_piece_with_the_lines_of_the_article(self):
        [snippet] = read("<!-- snippet:\ndo {}\n…\nlast()\n-->\n```swift\ncatch {}\n```\n")
        [piece] = snippet.merged()
        self.assertEqual(piece.line, 1)
        self.assertEqual(piece.text.split("\n"), ["", "do {}", "", "", "", "", "catch {}", "last()", ""])


class Marks(unittest.TestCase):
    def test_a_skipped_block_is_left_out(self):
        found = read("<!-- snippet skipped: it is Objective-C -->\n```swift\n[a b]\n```\n```swift\none()\n```\n")
        self.assertEqual([snippet.block.text for snippet in found], ["one()\n"])

    def test_hidden_code_of_an_article_holds_for_the_blocks_below_it(self):
        found = read("```swift\none()\n```\n<!-- snippets: let a = 1 -->\n```swift\ntwo()\n```\n```swift\nthree()\n```\n")
        self.assertEqual([len(snippet.common) for snippet in found], [0, 1, 1])

    def test_other_comments_are_not_marks(self):
        self.assertEqual(read("<!-- figures -->\n<!-- a note: about snippets -->\n"), [])

    def test_faults_name_the_line(self):
        for text in ["\n<!-- snippet skipped: -->\n```swift\n```\n", "\n<!-- snippet: a -->\n", "\n<!-- snippet hidden: a -->\n```swift\n```\n",
                     "\n<!-- snippet:\n  @Sendable func a() {}\n-->\n```swift\n```\n"]:
            with self.subTest(text), self.assertRaisesRegex(snippets.Fault, "^A.md:2: "):
                read(text)


class WrongCode(unittest.TestCase):
    MARK = """\
        | message | cause |
        |---|---|
        | `requires that … conform to 'Encodable'` | … |

        <!-- snippets: let user = 1 -->
        <!-- snippet fails "requires that … conform to 'Encodable'": post(user) -->
        """
    ERROR = "A.md:6:6: error: function 'post' requires that 'Int' conform to 'Encodable'"
    NOTE = "A.md:6:6: note: 'user' is declared here"

    def unmet(self, *output: str) -> list[str]:
        [snippet] = read(self.MARK)
        return snippets.unmet(snippet, "\n".join(output))

    def test_a_mark_holds_the_code_and_the_message(self):
        [snippet] = read(self.MARK)
        self.assertEqual(snippet.message, "requires that … conform to 'Encodable'")
        self.assertEqual((snippet.block.text.strip(), snippet.block.line), ("post(user)", 6))
        self.assertEqual(len(snippet.common), 1)

    def test_a_mark_needs_no_block_after_it_and_leaves_the_next_one_alone(self):
        wrong, block = read(self.MARK.rstrip(" ") + "        ```swift\n        two()\n        ```\n")
        self.assertEqual((wrong.message is None, block.message, block.before), (False, None, None))

    def test_readers_must_find_the_message(self):
        with self.assertRaisesRegex(snippets.Fault, "^A.md:6: readers do not find"):
            read(self.MARK.replace("| `requires that", "| `needs that"))

    def test_only_this_mark_has_a_message(self):
        for mark in ['snippet "message": a', "snippet fails: a", 'snippets "message": a']:
            with self.subTest(mark), self.assertRaisesRegex(snippets.Fault, "^A.md:1: a message belongs to"):
                read(f"<!-- {mark} -->\n```swift\n```\n")

    def test_the_message_is_met_by_an_error_or_a_warning(self):
        self.assertEqual(self.unmet(self.ERROR, "  |", self.NOTE), [])
        self.assertEqual(self.unmet(self.ERROR.replace("error", "warning")), [])

    def test_another_message_or_none_is_a_fault(self):
        other = "A.md:6:6: error: type of expression is ambiguous without a type annotation"
        self.assertRegex(self.unmet(other)[0], "^A.md:6:1: error: the compiler has to say “requires that …")
        self.assertEqual(self.unmet(other)[1:], [other])
        self.assertEqual(self.unmet()[1:], ["nothing"])
        self.assertEqual(self.unmet(self.NOTE.replace("'user'", "requires that 'A' conform to 'Encodable'"))[1:], ["nothing"])

    def test_a_second_fault_elsewhere_is_one_too_many(self):
        self.assertEqual(self.unmet(self.ERROR, "A.md:6:6: error: cannot infer contextual base"), [])
        self.assertEqual(len(self.unmet(self.ERROR, "A.md:6:9: error: missing argument")), 3)

    def test_a_compiler_that_gives_up_is_a_fault(self):
        for line in ["A.md:6:1: error: failed to produce diagnostic for expression; please submit a bug report", "Stack dump:"]:
            with self.subTest(line):
                self.assertRegex(self.unmet(self.ERROR, line)[0], "the compiler crashes")

    def test_each_is_compiled_by_a_call_of_its_own(self):
        found = read(self.MARK.rstrip(" ") + "        ```swift\n        two()\n        ```\n")
        calls = snippets.checks(found, ["/usr/bin/swiftc"])
        self.assertEqual([sorted(call.files) for call in calls], [["Block0.swift"], ["Wrong.swift"]])


class DocComments(unittest.TestCase):
    def test_they_are_an_article_with_the_lines_of_the_file(self):
        text = "import A\n/// Text.\n///\n/// ```swift\n///     one()\n/// ```\nfunc one() {} // ```\n    /// ```swift\n    /// two()\n    /// ```\n"
        found = list(snippets.snippets("A.swift", snippets.doc_comments(text)))
        self.assertEqual([(snippet.block.text, snippet.block.line) for snippet in found], [("    one()\n", 5), ("two()\n", 9)])

    def test_they_may_use_the_common_names(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "A.swift"
            path.write_text("/// ```swift\n/// api\n/// ```\n", encoding="utf-8")
            text, common = snippets.read(path)
        [snippet] = snippets.snippets("A.swift", text, common)
        self.assertIn("var api = ", snippet.function("block"))


class Columns(unittest.TestCase):
    def test_code_that_readers_would_have_to_scroll_is_a_fault_in_every_language(self):
        wide = "a" * (snippets.COLUMNS + 1)
        text = f"{wide}\n```objc\n{wide[1:]}\n{wide}\n```\n- a list:\n\n  ```swift\n  {wide[1:]}\n  ```\n"
        [message] = snippets.wide_lines("A.md", text)
        self.assertTrue(message.startswith("A.md:4: error: code of 89 columns"))


class Placeholders(unittest.TestCase):
    def test_placeholders_are_removed_but_not_from_texts_and_comments(self):
        code = snippets.Code('for x in y { … }  // and so on …\nprint("… \\" …", [ … ])\n', 7)
        self.assertEqual(
            code.located("A.md"),
            '#sourceLocation(file: "A.md", line: 7)\n'
            'for x in y {  }  // and so on …\nprint("… \\" …", [  ])\n#sourceLocation()\n',
        )


class Arguments(unittest.TestCase):
    def test_settings_of_this_package_are_left_out(self):
        arguments = ["swiftc", "-module-name", "M", "-enable-upcoming-feature", "F", "-I", "x", "-swift-version", "6",
                     "-strict-memory-safety", "-warnings-as-errors", "-parse-as-library"]
        self.assertEqual(snippets.user_arguments(arguments), ["swiftc", "-I", "x", "-swift-version", "6"])

    def test_only_the_libraries_of_the_system_are_taken_from_other_modules(self):
        module = "-fmodule-map-file=/house/Sources/CGtk4/module.modulemap"
        other = "-fmodule-map-file=/house/.build/checkouts/nio/Sources/CNIO/include/module.modulemap"
        arguments = ["swiftc", "-Xcc", module, "-Xcc", other, "-I/usr/include/gtk-4.0", "-Xcc", "-fPIC"]
        self.assertEqual(snippets.system_arguments(arguments), ["-Xcc", module, "-Xcc", "-I/usr/include/gtk-4.0"])


class Faults(unittest.TestCase):
    def test_errors_and_warnings_of_an_article_are_faults_with_their_notes(self):
        error = "A.md:4:1: error: cannot find 'apo' in scope"
        note = "A.md:2:1: note: 'api' is declared here"
        warning = "A.md:5:1: warning: no calls to throwing functions occur within 'try' expression"
        self.assertEqual(snippets.faults(f"{error}\n   |\n{note}\n{error}\n{warning}\n", {"A.md"}), [error, note, warning])

    def test_what_an_excerpt_leaves_unused_is_not_a_fault(self):
        output = (
            "A.md:1:5: warning: initialization of immutable value 'user' was never used [#no-usage]\n"
            "A.md:1:5: note: about it\n"
            "A.md:2:5: warning: variable 'api' was never mutated; consider changing to 'let' constant\n"
            "A.md:3:1: warning: expression of type 'Int' is unused [#no-usage]\n"
            "/else/where.swift:3:1: warning: something\n"
        )
        self.assertEqual(snippets.faults(output, {"A.md"}), [])

    def test_a_message_names_the_line_of_its_block(self):
        found = read("```swift\none()\n```\n\n```swift\ntwo()\nthree()\n```\n")
        self.assertEqual(
            snippets.with_block("A.md:7:1: error: no", found), "A.md:7:1: error: no (in the block at line 5)"
        )

    def test_calls_of_the_compiler_are_one_for_functions_and_one_for_each_file(self):
        found = read("```swift\none()\n```\n```swift\ntwo()\n```\n```swift\nimport Bluebonnet\n```\n```swift\n@main struct A {}\n```\n")
        calls = snippets.checks(found, ["/usr/bin/swiftc"])
        self.assertEqual([sorted(call.files) for call in calls], [["Block0.swift", "Block1.swift"], ["main.swift"], ["main.swift"]])
        self.assertEqual(["-parse-as-library" in call.command for call in calls], [True, False, True])
