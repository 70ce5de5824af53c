"""The public API of the library as lines of text, from the compiler's symbol graphs."""

import difflib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from processes import Problem

KINDS_THAT_THROW = {"swift.func", "swift.method", "swift.type.method", "swift.init", "swift.property",
                    "swift.type.property", "swift.subscript", "swift.type.subscript", "swift.var"}

# The system libraries whose headers are not in a folder that the compiler searches anyway.
SYSTEM_LIBRARIES = ["gdk-pixbuf-2.0", "gtk4", "hiredis", "webkitgtk-6.0"]


@dataclass(frozen=True)
class Graph:
    """The public symbols of one module."""

    symbols: tuple[dict, ...]
    relationships: tuple[dict, ...]

    @classmethod
    def read(cls, folder: Path, module: str) -> "Graph":
        """Reads MODULE.symbols.json, and MODULE@OTHER.symbols.json with its extensions of others' types."""
        files = sorted([*folder.glob(f"{module}.symbols.json"), *folder.glob(f"{module}@*.symbols.json")])
        if not files:
            raise FileNotFoundError(f"no symbol graph of {module} in {folder}")
        graphs = [json.loads(file.read_text()) for file in files]
        return cls(
            tuple(symbol for graph in graphs for symbol in graph["symbols"]),
            tuple(relationship for graph in graphs for relationship in graph["relationships"]))

    def lines(self) -> list[str]:
        """A line for each symbol and each conformance, in an order that does not depend on the compiler."""
        names = {symbol["identifier"]["precise"]: path(symbol) for symbol in self.symbols}
        found = [f"{path(symbol)}: {declaration(symbol)}" for symbol in self.symbols]
        for relationship in self.relationships:
            if relationship["kind"] in ("conformsTo", "inheritsFrom") and relationship["source"] in names:
                target = relationship.get("targetFallback") or names.get(relationship["target"])
                # Every type without an isolated conformance conforms to SendableMetatype.
                if target and target != "Swift.SendableMetatype":
                    condition = where(relationship.get("swiftConstraints", []))
                    found.append(f"{names[relationship['source']]}: conforms to {target}{condition}")
        return sorted(set(found))

    def without_throws(self) -> Iterator[tuple[str, int, str]]:
        """File, line and name of each symbol that can throw and has no `Throws:` in its doc comment."""
        for symbol in self.symbols:
            if symbol["kind"]["identifier"] not in KINDS_THAT_THROW or not throws(declaration(symbol)):
                continue
            comment = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
            if "location" in symbol and not any(re.match(r"\s*- Throws:", line) for line in comment):
                file = symbol["location"]["uri"].removeprefix("file://")
                yield file, symbol["location"]["position"]["line"] + 1, path(symbol)


def output(*command: object) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem(f"`{' '.join(words[:4])} …` failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def build(root: Path):
    """Builds everything with the options of scripts/test, so that nothing is compiled twice."""
    os.environ["SWIFT_DETERMINISTIC_HASHING"] = "1"
    traits = (root / "scripts" / "lib" / "traits").read_text().strip()
    output("swift", "build", "--package-path", root, "--build-tests", "--traits", traits)


def options_of_imports(root: Path, libraries: list[str] = SYSTEM_LIBRARIES) -> list:
    """The options by which the compiler finds the imports of the modules."""
    products = Path(output("swift", "build", "--package-path", root, "--show-bin-path").strip())
    # The modules import Swift modules, and C modules with a map written by hand or by
    # the package manager.
    maps = [*root.glob("Sources/*/module.modulemap"), *products.glob("*.build/module.modulemap"),
            *root.glob(".build/checkouts/*/Sources/*/include/module.modulemap")]
    options = ["-I", products / "Modules"]
    for flag in output("pkg-config", "--cflags-only-I", *libraries).split() if libraries else []:
        options += ["-Xcc", flag]
    for file in sorted(maps):
        options += ["-Xcc", f"-fmodule-map-file={file}"]
    return options


def write_graphs(modules: list[str], options: list, folder: Path):
    """Lets the compiler write the symbol graphs of compiled modules into a folder.

    `swift package dump-symbol-graph` is not used, since it builds everything again with other flags.
    """
    target = json.loads(output("swift", "-print-target-info"))["target"]["triple"]
    for module in modules:
        output("swift-symbolgraph-extract", "-module-name", module, "-target", target, *options,
               "-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs",
               "-output-dir", folder)


def extract(modules: list[str], options: list, folder: Path) -> dict[str, Graph]:
    """The graphs of compiled modules; the compiler writes them into a folder."""
    write_graphs(modules, options, folder)
    return {module: Graph.read(folder, module) for module in modules}


def path(symbol: dict) -> str:
    return ".".join(symbol["pathComponents"])


def declaration(symbol: dict) -> str:
    """The declaration as it is written, on one line, with the conditions of its extension."""
    text = "".join(fragment["spelling"] for fragment in symbol.get("declarationFragments", []))
    text = re.sub(r"\s+", " ", text).strip()
    for state in ("isUnconditionallyDeprecated", "isUnconditionallyUnavailable"):
        if any(each.get(state) for each in symbol.get("availability", [])):
            text = f"@available({state.removeprefix('isUnconditionally').lower()}) {text}"
    conditions = where(symbol.get("swiftExtension", {}).get("constraints", []))
    return f"{text} [extension{conditions}]" if conditions else text


def where(constraints: list[dict]) -> str:
    signs = {"conformance": ":", "superclass": ":", "sameType": " =="}
    texts = sorted({f"{each['lhs']}{signs.get(each['kind'], ' ' + each['kind'])} {each['rhs']}" for each in constraints})
    return f" where {', '.join(texts)}" if texts else ""


def throws(text: str) -> bool:
    """Whether a declaration can throw, as opposed to a closure it takes or returns."""
    text = re.sub(r"@\w+(?:\([^)]*\))?\s*", "", text)
    if re.match(r"(?:\w+ )*var\b", text) or re.match(r"(?:\w+ )*subscript\b", text):
        accessors = re.search(r"\{([^{}]*)\}$", text)
        return bool(accessors and re.search(r"\bthrows\b", accessors[1]))
    # With `throws(E)` for a generic E, only the closure of the caller throws.
    typed = re.findall(r"\bthrows\((\w+)\)", text)
    if typed and re.search(rf"<[^()]*\b{typed[-1]}\b[^()]*>\(", text):
        return False
    before = None
    while before != text:
        before, text = text, re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", text)
    return re.search(r"\bthrows\b", text.split("->")[0]) is not None


def difference(baseline: list[str], now: list[str]) -> list[str]:
    """The changes: a removed line with `-`, a new one with `+`; none when both are equal."""
    return [line for line in difflib.unified_diff(baseline, now, lineterm="", n=0)
            if not line.startswith(("---", "+++", "@@"))]
