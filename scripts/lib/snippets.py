"""Checks that the Swift blocks of README.md, the articles and the doc comments compile. Called by scripts/snippets.

CONTRIBUTING.md ("Swift in the documentation") describes the marks in HTML comments and the rules for
blocks. The arguments of the compiler are those of the last build, with the language settings that a new
package of a user has. `#sourceLocation` gives the compiler's messages the file and line of the article.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import floors

ARTICLES = ["README.md", "Sources/**/*.docc/**/*.md", "Sources/Bluebonnet*/**/*.swift"]
# Modules that a block without imports may use.
IMPORTS = ["Bluebonnet", "BluebonnetFoundation", "BluebonnetTesting", "Foundation", "HTTPTypes"]
# The module whose build gives the arguments of the compiler.
MODULE = "BluebonnetTesting"
# Modules whose users need the system's libraries: the modules of these, and their headers.
SYSTEM_MODULES = ["BluebonnetStores", "BluebonnetImages", "BluebonnetGTK"]

# The most columns of a block of code: on the rendered pages, readers scroll for more.
COLUMNS = 88

# What the blocks of doc comments may use beside what they declare.
DOC_COMMENTS = """\
struct User: Codable, Sendable { var id = 7; var name = "Ada" }
var (session, configuration) = (SessionManager.shared, SessionConfiguration())
var api = HTTPSessionManager(baseURL: "https://api.example.com/v1/")
var request = try api.request(.get, "users/42")
let task = try api.dataTask(.get, "users/42", as: .json)
let (user, file, data, key, name) = (User(), URL(filePath: "/file"), Data(), "key", "Ada")
"""

# Settings of this package, which the package of a user does not have.
HOUSE_WITH_VALUE = {"-module-name", "-package-name", "-enable-upcoming-feature"}
HOUSE = {"-parse-as-library", "-strict-memory-safety", "-warnings-as-errors", "-enable-testing"}

# Warnings that are right in a program, and wrong in an excerpt, which does not use what it makes.
BREVITY = re.compile(r"never (used|mutated|read)|unused")

# A mark and its text, and a block.
MARK = re.compile(
    r"""<!--\s*(?P<kind>snippets?\b[^:">]*)(?:"(?P<message>[^"]*)"\s*)?:(?P<text>.*?)-->[ \t]*$""",
    re.DOTALL | re.MULTILINE,
)
BLOCK = re.compile(r"^(?P<indent>[ ]*)```swift[ \t]*\n(?P<text>.*?)^(?P=indent)```[ \t]*$", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^(?P<indent>[ ]*)```\S*[ \t]*\n(?P<text>.*?)^(?P=indent)```[ \t]*$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
DOC_COMMENT = re.compile(r"^[ \t]*///(?: |$)(?P<text>.*)$")
PLACEHOLDER = re.compile(r'(?P<kept>"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*)|…')
IMPORT = re.compile(r"^(?:@\w+ )?(?:public )?import \w+$", re.MULTILINE)
WHOLE_FILE = re.compile(r"^(@main|@Test|@Suite|extension |public |import |@testable )", re.MULTILINE)
MANIFEST = re.compile(r"^import PackageDescription$", re.MULTILINE)


class Fault(Exception):
    """A mark that cannot be obeyed."""


@dataclass(frozen=True)
class Code:
    """Lines of an article, or of a comment in it."""

    text: str
    line: int

    def located(self, article: str) -> str:
        """The code as Swift, with its place, and without placeholders."""
        code = PLACEHOLDER.sub(lambda found: found["kept"] or "", self.text)
        return f'#sourceLocation(file: "{article}", line: {self.line})\n{code.rstrip()}\n#sourceLocation()\n'


@dataclass(frozen=True)
class Snippet:
    """A block of an article and the hidden code that it needs."""

    article: str
    block: Code
    common: tuple[Code, ...] = ()
    before: Code | None = None
    after: Code | None = None
    # For code that must not compile, what the compiler has to say about it.
    message: str | None = None

    @property
    def hidden(self) -> list[Code]:
        return [code for code in (*self.common, self.before, self.after) if code]

    @property
    def is_manifest(self) -> bool:
        return any(MANIFEST.search(code.text) for code in [*self.hidden, self.block])

    @property
    def is_whole_file(self) -> bool:
        """Whether the block stands at the top level of a file; otherwise it stands in a function."""
        return self.is_manifest or bool(WHOLE_FILE.search(self.block.text))

    @property
    def is_library(self) -> bool:
        """Whether the file has no code at its top level that runs."""
        return bool(re.search(r"^@(main|Test|Suite)", self.block.text, re.MULTILINE))

    def file(self) -> str:
        """The whole file. With imports it is complete but for the hidden code of this block."""
        text = "".join(code.located(self.article) for code in self.merged())
        if self.is_manifest or IMPORT.search(self.block.text):
            return text
        return imports(IMPORTS) + "".join(code.located(self.article) for code in self.common) + text

    def function(self, name: str) -> str:
        """The block in a function, in a scope inside that of the hidden code, so that it can use a name again."""
        text = imports(IMPORTS)
        # Imports of the hidden code stand above the function. Empty lines stay in their places, so
        # that lines are counted right.
        text += "".join(f"{line}\n" for code in self.hidden for line in IMPORT.findall(code.text))
        text += f"func {name}() async throws {{\n"
        pieces = [*self.common, *self.merged()]
        for code in pieces[:-1]:
            text += without_imports(code).located(self.article) + "do {\n"
        text += without_imports(pieces[-1]).located(self.article)
        return text + "}\n" * len(pieces)

    def merged(self) -> list[Code]:
        """The hidden code of this block and the block; one piece where the code is around the block.

        Nothing can stand between the brackets of the code and the block, `#sourceLocation` neither: empty lines take
        the place of what is between them in the article.
        """
        if not self.after:
            return [code for code in (self.before, self.block) if code]
        before = self.before.text.rstrip("\n") if self.before else ""
        line = self.before.line if self.before else self.block.line
        gap = "\n" * (self.block.line - line - before.count("\n"))
        return [Code(f"{before}{gap}{self.block.text}{self.after.text}", line)]


def imports(names: list[str]) -> str:
    return "".join(f"import {name}\n" for name in names)


def without_imports(code: Code) -> Code:
    return Code(IMPORT.sub("", code.text), code.line)


def doc_comments(text: str) -> str:
    """The doc comments of a Swift file as one article, with empty lines in place of code."""
    found = (DOC_COMMENT.match(line) for line in text.splitlines())
    return "".join(f"{line['text'] if line else ''}\n" for line in found)


def read(path: Path) -> tuple[str, list[Code]]:
    """The text of an article, or of the doc comments of a Swift file, and the hidden code of all its blocks."""
    text = path.read_text(encoding="utf-8")
    return (doc_comments(text), [Code(DOC_COMMENTS, 1)]) if path.suffix == ".swift" else (text, [])


def wide_lines(article: str, text: str) -> Iterator[str]:
    """A message for each line of code that readers would have to scroll."""
    for found in FENCE.finditer(text):
        first = text.count("\n", 0, found.start("text")) + 1
        for number, line in enumerate(found["text"].splitlines(), first):
            columns = len(line.removeprefix(found["indent"]))
            if columns > COLUMNS:
                yield f"{article}:{number}: error: code of {columns} columns; readers have to scroll after {COLUMNS}"


def snippets(article: str, text: str, common: Iterable[Code] = ()) -> Iterator[Snippet]:
    """The blocks of an article, with their hidden code, without those that are marked as skipped."""
    common = [*common]
    shown = COMMENT.sub("", text)
    mark: tuple[str, Code] | None = None
    for found in sorted([*MARK.finditer(text), *BLOCK.finditer(text)], key=re.Match.start):
        line = text.count("\n", 0, found.start("text")) + 1
        if "kind" in found.groupdict():
            if mark:
                raise Fault(f"{article}:{mark[1].line}: there is no block after this mark")
            code = Code(found["text"], line)
            if re.search(r"^[ \t]*@", code.text, re.MULTILINE):
                raise Fault(f"{article}:{line}: DocC takes a line that begins with @ for a directive, and shows the rest")
            kind, message = found["kind"].strip(), found["message"]
            if (message is not None) != (kind == "snippet fails"):
                raise Fault(f"{article}:{line}: a message belongs to `snippet fails`")
            match kind:
                case "snippet fails":
                    if f"`{message}`" not in shown:
                        raise Fault(f"{article}:{line}: readers do not find the message `{message}`")
                    yield Snippet(article, code, tuple(common), message=message)
                case "snippets":
                    common.append(code)
                case "snippet":
                    mark = ("snippet", code)
                case "snippet skipped":
                    if not code.text.strip():
                        raise Fault(f"{article}:{line}: a skipped block needs a reason")
                    mark = ("skipped", code)
                case _:
                    raise Fault(f"{article}:{line}: there is no mark `{kind}:`")
            continue
        indent = found["indent"]
        block = Code("".join(row.removeprefix(indent) for row in found["text"].splitlines(keepends=True)), line)
        kind, hidden = mark or ("snippet", None)
        mark = None
        if kind == "skipped":
            continue
        before, after = around(hidden)
        yield Snippet(article, block, tuple(common), before, after)
    if mark:
        raise Fault(f"{article}:{mark[1].line}: there is no block after this mark")


def around(hidden: Code | None) -> tuple[Code | None, Code | None]:
    """The hidden code before and after a block, which stands at the line that is only `…`."""
    if not hidden:
        return None, None
    rows = hidden.text.split("\n")
    for number, row in enumerate(rows):
        if row.strip() == "…":
            return Code("\n".join(rows[:number]), hidden.line), Code("\n".join(rows[number + 1 :]), hidden.line + number + 1)
    return hidden, None


def user_arguments(arguments: list[str]) -> list[str]:
    """The arguments of the build that a package of a user has as well."""
    kept: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument in HOUSE_WITH_VALUE:
            next(remaining, None)
        elif argument not in HOUSE:
            kept.append(argument)
    return kept


def system_arguments(arguments: list[str]) -> list[str]:
    """The arguments of a module's build by which the compiler finds the system's libraries."""
    system = re.compile(r"-fmodule-map-file=.*/Sources/C[A-Za-z0-9]*/module\.modulemap$|-I/")
    return [part for value in arguments if system.match(value) for part in ("-Xcc", value)]


def compile_arguments(arguments: list[str]) -> list[str]:
    """The same, to compile up to what no type says: data races, variables without a value."""
    return [argument for argument in arguments if argument != "-typecheck"] + ["-emit-sil", "-o", os.devnull]


def manifest_arguments(compiler: str) -> list[str]:
    library = Path(compiler).resolve().parent.parent / "lib/swift/pm/ManifestAPI"
    return [compiler, "-I", str(library), "-package-description-version", "6.2.0", "-swift-version", "6", "-typecheck"]


def faults(output: str, articles: set[str]) -> list[str]:
    """The messages of the compiler that are faults, each once and with its notes."""
    found: list[str] = []
    is_fault = False
    for line in output.splitlines():
        message = re.match(r"(?P<file>[^\s:][^:]*):\d+:\d+: (?P<kind>error|warning|note): (?P<text>.*)", line)
        if not message or line in found:
            continue
        if message["kind"] != "note":
            is_fault = message["kind"] == "error" or (
                message["file"] in articles and not BREVITY.search(message["text"])
            )
        if is_fault and (message["kind"] != "note" or message["file"] in articles):
            found.append(line)
    return found


def unmet(snippet: Snippet, output: str) -> list[str]:
    """What is wrong with the messages about code that must have one fault, and no other.

    Further messages about the same place are consequences of the first one.
    """
    place = f"{snippet.article}:{snippet.block.line}:1: error:"
    words = (re.escape(word) for word in (snippet.message or "").split("…"))
    expected = re.compile(r": (error|warning): .*" + ".*".join(words))
    found = [line for line in faults(output, {snippet.article}) if ": note: " not in line]
    if re.search(r"failed to produce diagnostic|Stack dump|submit a bug report", output):
        return [f"{place} the compiler crashes, or does not say what is wrong:\n{output}"]
    places = {line.split(": ")[0] for line in found}
    if len(places) == 1 and expected.search(found[0]):
        return []
    return [f"{place} the compiler has to say “{snippet.message}”, and no more. It says:", *(found or ["nothing"])]


class Check:
    """One call of the compiler, for one file or for all blocks that stand in functions."""

    def __init__(self, command: list[str], files: dict[str, str], snippets: list[Snippet]):
        self.command = command
        self.files = files
        self.snippets = snippets

    def run(self) -> list[str]:
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in self.files.items():
                (Path(scratch) / name).write_text(text, encoding="utf-8")
            result = subprocess.run([*self.command, *self.files], cwd=scratch, capture_output=True, text=True)
        output = result.stdout + result.stderr
        if self.snippets[0].message:
            return unmet(self.snippets[0], output)
        found = faults(output, {snippet.article for snippet in self.snippets})
        if result.returncode and not any(": error: " in line for line in found):
            found.append(f"the compiler failed:\n{output}")
        return [with_block(line, self.snippets) for line in found]


def with_block(message: str, snippets: list[Snippet]) -> str:
    """The message with the line at which its block begins."""
    place = re.match(r"([^:]+):(\d+):", message)
    lines = [
        snippet.block.line - 1
        for snippet in snippets
        if place and snippet.article == place[1] and snippet.block.line <= int(place[2])
    ]
    return f"{message} (in the block at line {max(lines)})" if lines else message


def checks(found: list[Snippet], command: list[str]) -> list[Check]:
    """The calls of the compiler for the blocks."""
    calls = []
    for snippet in found:
        if snippet.is_whole_file:
            arguments = manifest_arguments(command[0]) if snippet.is_manifest else command
            if snippet.is_library:
                arguments = [*arguments, "-parse-as-library"]
            calls.append(Check(arguments, {"main.swift": snippet.file()}, [snippet]))
        elif snippet.message:
            calls.append(Check([*command, "-parse-as-library"], {"Wrong.swift": snippet.function("wrong")}, [snippet]))
    inside = [snippet for snippet in found if not snippet.is_whole_file and not snippet.message]
    files = {f"Block{number}.swift": snippet.function(f"block{number}") for number, snippet in enumerate(inside)}
    if files:
        # One job for all files: of several jobs, the compiler does not start those after one that
        # fails.
        arguments = [*command, "-parse-as-library", "-module-name", "Blocks", "-whole-module-optimization"]
        calls.insert(0, Check(arguments, files, inside))
    return calls


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/snippets", description=__doc__.splitlines()[0])
    parser.add_argument("articles", nargs="*", type=Path, help="files to check (default: README.md, all articles and the doc comments of the products)")
    return parser.parse_args()


def main() -> int:
    plan = Path(".build/debug.yaml")
    articles = options().articles or sorted(path for pattern in ARTICLES for path in Path().glob(pattern))
    try:
        built = plan.read_text(encoding="utf-8")
        arguments = floors.build_arguments(built, MODULE)
        for module in SYSTEM_MODULES:
            arguments += system_arguments(floors.build_arguments(built, module))
        texts = {str(path): read(path) for path in articles}
        found = [snippet for article, (text, common) in texts.items() for snippet in snippets(article, text, common)]
    except (FileNotFoundError, LookupError) as error:
        print(f"snippets: {error}; is there a build? Run `swift build` first", file=sys.stderr)
        return 2
    except Fault as fault:
        print(f"snippets: {fault}", file=sys.stderr)
        return 1
    command = compile_arguments(user_arguments(floors.type_check_arguments(arguments)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        messages = [line for lines in pool.map(Check.run, checks(found, command)) for line in lines]
    messages += [line for article, (text, _) in texts.items() for line in wide_lines(article, text)]
    if messages:
        print(*messages, sep="\n", file=sys.stderr)
        print("snippets: the code of the documentation has faults", file=sys.stderr)
        return 1
    wrong = sum(snippet.message is not None for snippet in found)
    files = len({snippet.article for snippet in found})
    print(f"snippets: {len(found) - wrong} blocks in {files} files compile, and {wrong} have the fault that they should")
    return 0


if __name__ == "__main__":
    sys.exit(main())
