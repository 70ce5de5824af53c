import json
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import public_api


def symbol(name, text, kind="swift.method", comment=None, **more):
    found = {
        "kind": {"identifier": kind},
        "identifier": {"precise": f"s:{name}"},
        "pathComponents": name.split("."),
        "declarationFragments": [{"spelling": text[:4]}, {"spelling": text[4:]}],
        "location": {"uri": "file:///x/A.swift", "position": {"line": 6, "character": 0}},
        **more,
    }
    if comment is not None:
        found["docComment"] = {"lines": [{"text": line} for line in comment.split("\n")]}
    return found


class Lines(unittest.TestCase):
    def test_a_symbol_is_a_line(self):
        graph = public_api.Graph((symbol("A.b(_:)", "func b(_ c: Int,\n    d: Int) -> Int"),), ())
        self.assertEqual(graph.lines(), ["A.b(_:): func b(_ c: Int, d: Int) -> Int"])

    def test_a_conformance_is_a_line(self):
        relationships = (
            {"kind": "conformsTo", "source": "s:A", "target": "s:8Sendable", "targetFallback": "Swift.Sendable"},
            {"kind": "conformsTo", "source": "s:A", "target": "s:P"},
            {"kind": "memberOf", "source": "s:A", "target": "s:P"},
            {"kind": "conformsTo", "source": "s:hidden", "target": "s:P"},
        )
        graph = public_api.Graph((symbol("A", "struct A", "swift.struct"), symbol("P", "protocol P", "swift.protocol")), relationships)
        self.assertEqual(
            graph.lines(), ["A: conforms to P", "A: conforms to Swift.Sendable", "A: struct A", "P: protocol P"])

    def test_the_conditions_of_an_extension_belong_to_it(self):
        constraints = [{"kind": "conformance", "lhs": "Self", "rhs": "P"}, {"kind": "sameType", "lhs": "Self.B", "rhs": "Int"}]
        graph = public_api.Graph((symbol("A.b()", "func b()", swiftExtension={"constraints": constraints}),), ())
        self.assertEqual(graph.lines(), ["A.b(): func b() [extension where Self.B == Int, Self: P]"])

    def test_deprecation_is_a_change(self):
        deprecated = symbol("A.b()", "func b()", availability=[{"isUnconditionallyDeprecated": True}])
        self.assertEqual(public_api.Graph((deprecated,), ()).lines(), ["A.b(): @available(deprecated) func b()"])

    def test_the_order_of_the_compiler_does_not_matter(self):
        symbols = [symbol(f"A.b{number}()", f"func b{number}()") for number in range(50)]
        expected = public_api.Graph(tuple(symbols), ()).lines()
        random.Random(1).shuffle(symbols)
        self.assertEqual(public_api.Graph(tuple(symbols), ()).lines(), expected)

    def test_extensions_of_other_modules_types_are_read_too(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, each in [("Lib", symbol("A", "struct A")), ("Lib@Other", symbol("B.c", "var c: Int")),
                               ("Library", symbol("D", "struct D"))]:
                (folder / f"{file}.symbols.json").write_text(json.dumps({"symbols": [each], "relationships": []}))
            self.assertEqual(public_api.Graph.read(folder, "Lib").lines(), ["A: struct A", "B.c: var c: Int"])
            with self.assertRaises(FileNotFoundError):
                public_api.Graph.read(folder, "Li")

    def test_a_changed_signature_is_a_difference(self):
        before, now = ["A: struct A", "A.b(): func b()"], ["A: struct A", "A.b(): func b() throws"]
        self.assertEqual(public_api.difference(before, before), [])
        self.assertEqual(public_api.difference(before, now), ["-A.b(): func b()", "+A.b(): func b() throws"])
        self.assertEqual(public_api.difference([], ["--: func --()"]), ["+--: func --()"])


@unittest.skipUnless(shutil.which("swift-symbolgraph-extract"), "the Swift toolchain is not on PATH")
class FromTheCompiler(unittest.TestCase):
    def graph(self, code):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "Lib.swift").write_text(code)
            subprocess.run(["swiftc", "-emit-module", "-module-name", "Lib", "Lib.swift"], cwd=folder, check=True)
            return public_api.extract(["Lib"], ["-I", folder], folder)["Lib"]

    def test_a_changed_signature_is_a_difference(self):
        code = """
            public struct Task: Sendable {
                /// Goes.
                public func go(to place: String = "here") {}
                func own() {}
            }
            """
        before = self.graph(code)
        self.assertEqual(public_api.difference(before.lines(), self.graph(code).lines()), [])
        self.assertEqual(list(before.without_throws()), [])
        self.assertEqual(public_api.difference(before.lines(), self.graph(code.replace("own", "inner")).lines()), [])
        now = self.graph(code.replace(") {}\n                func", ") throws {}\n                func").replace(": Sendable", ""))
        self.assertEqual(public_api.difference(before.lines(), now.lines()), [
            "-Task.go(to:): func go(to place: String = \"here\")",
            "-Task: conforms to Swift.Sendable",
            "+Task.go(to:): func go(to place: String = \"here\") throws",
        ])
        self.assertEqual([name for _, _, name in now.without_throws()], ["Task.go(to:)"])


class Throwing(unittest.TestCase):
    def test_declarations_that_throw(self):
        for text in ["func a() throws", "func a() async throws(NetworkingError) -> Int", "init(a: Int) throws",
                     "var a: Int { get throws }", "subscript(a: Int) -> Int { get async throws }",
                     "static func a<T>(_ b: (T) -> Int, c: [T: Int]) throws -> () throws -> Int",
                     "@discardableResult func a(b: @Sendable () -> Void) async throws -> Int"]:
            with self.subTest(text):
                self.assertTrue(public_api.throws(text))

    def test_declarations_that_do_not_throw(self):
        for text in ["func a()", "func a(_ b: () throws -> Int)", "func a() -> () throws -> Int",
                     "func a(_ b: () throws -> Int) rethrows", "var a: (() throws -> Int)? { get set }",
                     "var a: @Sendable (Int) async throws -> Int",
                     "func a<T, E>(_ b: (T) throws(E) -> Int) throws(E) -> Int where E : Error"]:
            with self.subTest(text):
                self.assertFalse(public_api.throws(text))

    def test_a_throwing_symbol_needs_throws_in_its_doc_comment(self):
        said = symbol("A.b()", "func b() throws", comment="Does b.\n\n- Throws: ``C/d``.")
        unsaid = symbol("A.c()", "func c() throws", comment="Throws nothing at you.")
        bare = symbol("A.d", "var d: Int { get throws }", "swift.property")
        graph = public_api.Graph((said, unsaid, bare, symbol("A.e()", "func e()")), ())
        self.assertEqual(list(graph.without_throws()), [("/x/A.swift", 7, "A.c()"), ("/x/A.swift", 7, "A.d")])
