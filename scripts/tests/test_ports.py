import textwrap
import unittest

import ports

FILE = """\
struct Model {}

@Suite struct Ports {
    private let page = 2

    @Test func `a text`() async throws {
        try await withSnippet { api, base in
            let url = base + "robots.txt"
            // Original (Alamofire):
            //     let text = try await AF.request(url).serializingString().value
            // Ported:
            let text = try await api.get(url, as: .string)
            // End
            #expect(text == "")
        }
    }
}
"""


def problems(text: str = FILE, least: int = 1) -> list[str]:
    before, ports.LEAST = ports.LEAST, least
    try:
        return [f"{number}: {sentence}" for _, number, sentence in ports.checked({"A.swift": text.splitlines()})[1]]
    finally:
        ports.LEAST = before


def code(text: str) -> list[str]:
    return textwrap.dedent(text).splitlines()


class Measures(unittest.TestCase):
    def test_blank_lines_and_comments_are_no_lines(self):
        self.assertEqual(ports.lines_of_code(code("a()\n\n  // why\n/* more\n why */\nb()  // c()\n")), 2)

    def test_a_semicolon_ends_a_line(self):
        self.assertEqual(ports.lines_of_code(["a(); b()"]), 2)
        self.assertEqual(ports.lines_of_code(['a("x; y")']), 1)

    def test_white_space_and_comments_are_no_characters(self):
        self.assertEqual(ports.characters_of_code(["  a (1)  // one", "/* two */ b"]), 5)

    def test_an_address_in_a_text_is_no_comment(self):
        self.assertEqual(ports.characters_of_code(['get("https://a")']), 16)
        self.assertEqual(ports.characters_of_code(['get(#"a"//"#)']), 13)
        self.assertEqual(ports.characters_of_code(['get("a\\"//b")']), 13)


class Names(unittest.TestCase):
    def test_members_labels_and_texts_are_no_names(self):
        self.assertEqual(ports.names(['api.get(url, as: .string, name: "page")']), {"api", "url"})
        self.assertEqual(ports.names(['"users/\\(id(of: user))"']), {"id", "user"})

    def test_declarations_are_found(self):
        self.assertEqual(
            ports.declarations(["let (a, b) = c", "func d() {}", "for try await e in f {}", "g { _, h in }", "struct I {}"]),
            {"a", "b", "d", "e", "_", "h", "I"},
        )


class Pairs(unittest.TestCase):
    def test_a_port_that_is_shorter_is_no_problem(self):
        self.assertEqual(problems(), [])

    def test_a_port_with_more_lines_is_a_problem(self):
        longer = FILE.replace("let text = try await api.get(url", "let s = 1\n            let text = try await api.get(url")
        self.assertEqual(problems(longer), ["9: the port of `a text` is longer than its original: 2 lines, not 1"])

    def test_a_port_with_more_characters_is_a_problem(self):
        longer = FILE.replace("as: .string)", "as: .string.accepting(statusCodes: 200..<300))")
        self.assertEqual(len(problems(longer)), 1)
        self.assertIn("characters, not 57", problems(longer)[0])

    def test_an_original_without_code_is_a_problem(self):
        self.assertIn("no code", problems(FILE.replace("let text = try await AF.request(url).serializingString().value", "// x"))[0])

    def test_too_few_pairs_are_a_problem(self):
        self.assertEqual(problems(least=2), ["1: 1 pairs; there must be 2"])

    def test_a_pair_that_stands_twice_is_a_problem(self):
        method = FILE[FILE.index("    @Test") : FILE.rindex("}")]
        twice = FILE.replace(method, method + method.replace("a text", "another"))
        self.assertIn("the same original stands in `a text`", problems(twice)[0])

    def test_code_that_stands_outside_of_the_port_is_a_problem(self):
        outside = FILE.replace('"robots.txt"\n', '"robots.txt"\n            let kind = StringResponseSerializer()\n')
        outside = outside.replace("as: .string", "as: kind")
        self.assertEqual(problems(outside), ["10: the port uses what its original does not: kind"])
        helper = FILE.replace("try await api.get(url, as: .string)", "try await read(url)") + "\nfunc read() {}\n"
        self.assertEqual(problems(helper), ["9: the port uses what its original does not: read"])

    def test_helpers_of_other_tests_are_outside_of_the_port(self):
        helper = FILE.replace("try await api.get(url, as: .string)", "try await read(url)")
        files = {"A.swift": helper.splitlines()}
        found = ports.checked(files, helpers=["func read() {}"])[1]
        self.assertIn("the port uses what its original does not: read", [sentence for _, _, sentence in found])

    def test_an_extension_of_the_library_is_a_problem(self):
        self.assertIn("an extension", problems(FILE + "\nextension HTTPSessionManager {}\n")[0])

    def test_what_the_original_uses_too_may_be_declared_before(self):
        self.assertEqual(problems(FILE.replace("request(url)", "request(url, page)").replace("get(url", "get(url, page")), [])

    def test_a_test_without_a_pair_is_a_problem(self):
        without = FILE.replace("@Suite struct Ports {", "@Suite struct Ports {\n    @Test func `none`() {\n    }\n")
        self.assertEqual(problems(without), ["1: the test `none` has no pair"])


class Marks(unittest.TestCase):
    def test_each_mark_needs_the_others(self):
        for missing in ["            // Original (Alamofire):\n", "            // Ported:\n", "            // End\n"]:
            with self.subTest(missing):
                self.assertNotEqual(problems(FILE.replace(missing, "")), [])

    def test_an_original_must_end_before_the_next_begins(self):
        self.assertNotEqual(problems(FILE.replace("            // End\n", "            // Original (Alamofire):\n")), [])

    def test_another_spelling_is_a_problem(self):
        for mark, other in [("Original (Alamofire):", "Original (Moya):"), ("Ported:", "ported:"), ("// End", "// end")]:
            with self.subTest(other):
                self.assertNotEqual(problems(FILE.replace(mark, other)), [])
        self.assertIn("nearly a mark", problems(FILE.replace("#expect(text", "// Ported\n            #expect(text"))[0])

    def test_prose_that_begins_with_such_a_word_is_no_mark(self):
        self.assertEqual(problems(FILE.replace("#expect(text", "// End the session before the server.\n            #expect(text")), [])


if __name__ == "__main__":
    unittest.main()
