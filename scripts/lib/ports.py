"""Measures the code of AFNetworking and Alamofire that is ported in Tests/BluebonnetTests/Porting.

    ports.py             problems; status 1 when there are any
    ports.py --table     also the lines and characters of each pair, as Markdown

A pair stands in a test:

    // Original (Alamofire):
    //     let text = try await AF.request(url).serializingString().value
    // Ported:
    let text = try await api.get(url, as: .string)
    // End

A port must have no more lines than its original, and no more characters; white space, blank lines
and comments do not count. What it uses of the test's own declarations, its original uses too: a
port cannot be short because a part of it stands outside of the marks. Only what both sides have
before they begin, the manager, its session and its configuration, has a name of its own here.
"""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("Tests/BluebonnetTests/Porting")
HELPERS = Path("Tests/BluebonnetTests/Helpers")
LEAST = 60
# What is there before a pair begins; the original has its own, such as `AF`.
SET_UP = {"api", "base", "configuration", "manager", "session"}

MARK = re.compile(r"\s*// (?:(Original) \((AFNetworking|Alamofire)\):|(Ported):|(End))$")
NEARLY_A_MARK = re.compile(r"\s*//+\s*(?:original\b|port\b|ported\b|end\b)(?!\w).{0,20}$", re.IGNORECASE)
ORIGINAL_CODE = re.compile(r"\s*//(?:     ?(\s*\S.*))?$")
TEST = re.compile(r"    @Test\b")
TEST_NAME = re.compile(r"func `([^`]+)`|func (\w+)")
DECLARED = re.compile(r"\b(?:let|var|func|struct|class|enum|actor|case|protocol|typealias)\s+(\w+)")
TOGETHER = re.compile(r"\b(?:let|var)\s+\(([^)]*)\)")
PARAMETERS = re.compile(r"\{\s*(?:@\w+\s+)?(?:\[[^]]*\]\s*)?\(?([\w\s,]*?)\)?\s+in\b|\bfor\s+(?:try\s+)?(?:await\s+)?(\w+)\s+in\b")
LABEL = re.compile(r"(?<=[(,])(\s*)\w+(?=\s*:)")
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")

Problem = tuple[str, int, str]  # the file, the line, from 1, and a sentence


@dataclass
class Pair:
    """An original and its port."""

    path: str
    line: int
    test: str
    library: str
    original: list[str]
    ported: list[str]

    @property
    def lines(self) -> tuple[int, int]:
        return lines_of_code(self.original), lines_of_code(self.ported)

    @property
    def characters(self) -> tuple[int, int]:
        return characters_of_code(self.original), characters_of_code(self.ported)


def code(lines: list[str]) -> str:
    """The text of Swift code without its comments; strings are kept as they are."""
    text = "\n".join(lines)
    result = []
    index = depth = 0
    end = None  # that of the string around the index
    while index < len(text):
        rest = text[index:]
        if depth:
            step = 2 if rest.startswith(("/*", "*/")) else 1
            depth += {"/*": 1, "*/": -1}.get(rest[:2], 0)
            index += step
        elif end is None and rest.startswith("//"):
            index += len(rest.split("\n", 1)[0])
        elif end is None and rest.startswith("/*"):
            depth, index = 1, index + 2
        else:
            step = 1
            if end is None and (found := re.match(r'(#*)("""|")', rest)):
                end, step = found.group(2) + found.group(1), found.end()
            elif end is not None and rest.startswith(end):
                step, end = len(end), None
            elif end is not None and rest.startswith("\\"):
                step = 2
            result.append(rest[:step])
            index += step
    return "".join(result)


def without_texts(lines: list[str]) -> str:
    """The code without the contents of its strings, except for what they interpolate."""
    return re.sub(r'"(?:\\\((?:[^()"]|\([^()]*\))*\)|\\.|[^"\\\n])*"', interpolated, code(lines))


def interpolated(found: re.Match) -> str:
    return " ".join(re.findall(r"\\\(((?:[^()]|\([^()]*\))*)\)", found.group()))


def lines_of_code(lines: list[str]) -> int:
    """The lines with code; a semicolon between two statements counts as the end of a line."""
    return sum(1 for line in without_texts(lines).replace(";", "\n").splitlines() if line.strip())


def characters_of_code(lines: list[str]) -> int:
    return len(re.sub(r"\s", "", code(lines)))


def names(lines: list[str]) -> set[str]:
    """The names that code uses, but for members of something else."""
    return set(NAME.findall(LABEL.sub(r"\1", without_texts(lines))))


def declarations(lines: list[str]) -> set[str]:
    """The names that code declares, with the parameters of its closures."""
    text = code(lines)
    found = set(DECLARED.findall(text))
    for group in TOGETHER.findall(text):
        found |= set(re.findall(r"\w+", group))
    for parameters, element in PARAMETERS.findall(text):
        found |= set(re.findall(r"\w+", f"{parameters} {element}"))
    return found


class Reader:
    """Finds the pairs of one file, and what is declared around them."""

    def __init__(self, path: str, lines: list[str]):
        self.path = path
        self.pairs: list[Pair] = []
        self.problems: list[Problem] = []
        self.shared: list[str] = []  # lines outside of tests
        self.local: dict[str, list[str]] = {}  # lines of each test, outside of its pairs
        self.read(lines)

    def problem(self, number: int, sentence: str):
        self.problems.append((self.path, number, sentence))

    def read(self, lines: list[str]):
        test = None
        pair = None
        part = None  # "Original" or "Ported"
        for number, line in enumerate(lines, start=1):
            mark = MARK.match(line)
            if TEST.match(line) or line.startswith("}"):
                if pair:
                    self.problem(pair.line, "this original has no `// End`")
                pair = part = None
                test = self.name(lines, number) if TEST.match(line) else None
                if test:
                    self.local[test] = []
            if not mark:
                if part == "Original":
                    if found := ORIGINAL_CODE.match(line):
                        pair.original.append(found.group(1) or "")
                    else:
                        self.problem(number, "a line of an original is a comment with five spaces before the code")
                elif part == "Ported":
                    pair.ported.append(line)
                else:
                    (self.shared if test is None else self.local[test]).append(line)
                if re.match(r"\s*(?:\w+\s+)*extension\b", line):
                    self.problem(number, "an extension would be a part of the library that its users do not have")
                if part != "Original" and NEARLY_A_MARK.match(line):
                    self.problem(number, "this is nearly a mark: `// Original (Alamofire):`, `// Ported:`, `// End`")
            elif mark.group(1):
                if part:
                    self.problem(number, "this original begins before the `// End` of the one above")
                if test is None:
                    self.problem(number, "this original does not stand in a test")
                pair, part = Pair(self.path, number, test or "", mark.group(2), [], []), "Original"
            elif mark.group(3):
                if part != "Original":
                    self.problem(number, "`// Ported:` without its original")
                    continue
                part = "Ported"
            else:
                if part != "Ported":
                    self.problem(number, "`// End` without its `// Ported:`")
                else:
                    self.pairs.append(pair)
                pair = part = None
        if pair:
            self.problem(pair.line, "this original has no `// End`")
        tested = {pair.test for pair in self.pairs}
        self.problems += [(self.path, 1, f"the test `{test}` has no pair") for test in self.local if test not in tested]

    @staticmethod
    def name(lines: list[str], number: int) -> str:
        found = TEST_NAME.search(" ".join(lines[number - 1 : number + 2]))
        return next(filter(None, found.groups())) if found else f"line {number}"


def measured(pair: Pair) -> list[str]:
    """The sentences about a pair whose port is longer, or that is empty."""
    found = []
    for unit, (before, after) in (("lines", pair.lines), ("characters", pair.characters)):
        if not before or not after:
            return ["the original or its port has no code"]
        if after > before:
            found.append(f"the port of `{pair.test}` is longer than its original: {after} {unit}, not {before}")
    return found


def checked(files: dict[str, list[str]], helpers: Iterable[str] = ()) -> tuple[list[Pair], list[Problem]]:
    """The pairs of all files, and the problems."""
    readers = [Reader(path, lines) for path, lines in files.items()]
    pairs = [pair for reader in readers for pair in reader.pairs]
    problems = [problem for reader in readers for problem in reader.problems]
    seen: dict[str, Pair] = {}
    # Other files of the folder see only what is at their top level; the suite sees its members too.
    top = [line for line in (*helpers, *(line for reader in readers for line in reader.shared)) if line[:1].strip()]
    for reader in readers:
        for pair in reader.pairs:
            found = measured(pair)
            known = declarations(top + reader.shared + reader.local[pair.test]) if pair.test in reader.local else set()
            hidden = (names(pair.ported) & known) - names(pair.original) - declarations(pair.ported) - SET_UP
            if hidden:
                found.append(f"the port uses what its original does not: {', '.join(sorted(hidden))}")
            text = re.sub(r"\s", "", code(pair.original))
            if text in seen:
                found.append(f"the same original stands in `{seen[text].test}`")
            seen.setdefault(text, pair)
            problems += [(pair.path, pair.line, sentence) for sentence in found]
    if len(pairs) < LEAST:
        problems.append((str(FOLDER), 1, f"{len(pairs)} pairs; there must be {LEAST}"))
    return pairs, problems


def table(pairs: list[Pair]) -> list[str]:
    rows = ["| snippet | library | lines | characters |", "|---|---|---|---|"]
    for pair in pairs:
        lines, characters = pair.lines, pair.characters
        rows.append(f"| {pair.test} | {pair.library} | {lines[0]} → {lines[1]} | {characters[0]} → {characters[1]} |")
    sums = [sum(column) for column in zip(*((*pair.lines, *pair.characters) for pair in pairs))]
    if sums:
        rows.append(f"| all {len(pairs)} | | {sums[0]} → {sums[1]} | {sums[2]} → {sums[3]} |")
    return rows


def main(arguments: list[str]) -> int:
    root = Path(__file__).resolve().parent.parent.parent
    files, helpers = (
        {
            str(path.relative_to(root)): path.read_text(encoding="utf-8").splitlines()
            for path in sorted((root / folder).glob("**/*.swift"))
        }
        for folder in (FOLDER, HELPERS)
    )
    pairs, problems = checked(files, [line for lines in helpers.values() for line in lines])
    if "--table" in arguments:
        print(*table(pairs), sep="\n")
    for path, number, sentence in problems:
        print(f"{path}:{number}: {sentence}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
