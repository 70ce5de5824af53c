"""The house rules that neither `swift format` nor the compiler checks. Called by scripts/lint.

    house_rules.py [FILE…]             problems; status 1 when there are any
    house_rules.py --prose [FILE…]     lines of prose over 100 columns
    house_rules.py --short [FILE…]     Swift files of at most 15 lines

The rules check single lines and do not parse Swift. `swift format` finds forced tries and casts, and
scripts/api finds doc comments without `Throws:`.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

MAXIMUM_LINES = 500
SHORT_FILE = 15
PROSE_COLUMNS = 100

UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
NEEDS_A_REASON = re.compile(r"\bfatalError\(|@unchecked\s+Sendable|\bnonisolated\(unsafe\)")
SPEAKS_OF_IT = re.compile(r"unchecked|unsafe|never", re.IGNORECASE)
FOUNDATION = re.compile(r"\s*(?:\w+\s+|@\w+\s+)*import\s+(?:\w+\s+)?Foundation(?:Networking|XML)?\b")
# The folders whose public types say in their doc comments what is their counterpart in AFNetworking
# or Alamofire, or that there is none.
COUNTERPART_FOLDERS = ("Sources/Bluebonnet/", "Sources/BluebonnetFoundation/")
# A type in another one has no comment of its own about it; swift-format indents it.
PUBLIC_TYPE = re.compile(
    r"(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+(?:(?:final|indirect|nonisolated|distributed)\s+)*"
    r"(?:struct|class|enum|protocol|actor)\s+(\w+)"
)
# The beginning of a line that is a comment.
COMMENTS = {".swift": "//", ".c": "//", ".go": "//", ".rs": "//", ".h": "//", ".py": "#", ".sh": "#", "": "#"}
TRAILING_COMMENT = re.compile(r"[^:\"'](//+ .*)$")
FENCE = re.compile(r"\s*(?:```|~~~)")

Problem = tuple[int, str]  # the line, from 1, and a sentence


def lines_of(path: str) -> list[str] | None:
    """The lines of a text file; None for any other file."""
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return None


def own_paths(home: Path, repository: Path) -> re.Pattern | None:
    """A pattern for the paths of this machine: the user's folder and the clone's."""
    # A clone in `/src` must not make that word an error.
    paths = [path for path, least in ((home, 2), (repository, 3)) if len(path.parts) >= least]
    if not paths:
        return None
    return re.compile(rf"(?<![\w.\-/])(?:{'|'.join(re.escape(str(path)) for path in paths)})(?![\w.\-])")


def has_reason(lines: list[str], index: int) -> bool:
    """Whether a comment at the end of a line or right above it gives a reason.

    Every ordinary comment counts; of a doc comment, only a line with one of the words.
    """
    comments = re.findall(r"(?<!/)//(?!/)", lines[index])
    above = index - 1
    while above >= 0 and (comment := lines[above].strip()).startswith("//"):
        if not comment.startswith("///") or SPEAKS_OF_IT.search(comment):
            comments.append(comment)
        above -= 1
    return bool(comments)


def check(path: str, lines: list[str], own: re.Pattern | None = None) -> Iterator[Problem]:
    """The problems of one file."""
    for number, line in enumerate(lines, start=1):
        if found := UNFINISHED.search(line):
            yield number, f"`{found.group()}`: finish it, or open an issue"
        if own and (found := own.search(line)):
            yield number, f"`{found.group()}` is a path of your machine"
    if path.endswith(".swift"):
        yield from check_swift(path, lines)


def check_swift(path: str, lines: list[str]) -> Iterator[Problem]:
    if len(lines) > MAXIMUM_LINES:
        yield MAXIMUM_LINES + 1, f"{len(lines)} lines; divide a file of more than {MAXIMUM_LINES}"
    if "Sources" not in Path(path).parts:
        return
    for index, line in enumerate(lines):
        if line.lstrip().startswith("//"):
            continue
        if (found := NEEDS_A_REASON.search(line)) and not has_reason(lines, index):
            yield index + 1, f"`{found.group().rstrip('(')}` without its reason in a comment beside it"
        # `#else` follows `#if canImport(FoundationEssentials)`.
        is_core = "Bluebonnet" in Path(path).parts
        if is_core and FOUNDATION.match(line) and (index == 0 or lines[index - 1].strip() != "#else"):
            yield index + 1, "the core imports FoundationEssentials, never Foundation"
    if path.startswith(COUNTERPART_FOLDERS):
        yield from missing_counterparts(lines)


def missing_counterparts(lines: list[str]) -> Iterator[Problem]:
    """Public types whose doc comments have no word about a counterpart."""
    for index, line in enumerate(lines):
        if not (found := PUBLIC_TYPE.match(line)):
            continue
        comment = []
        above = index - 1
        while above >= 0 and lines[above].startswith(("///", "@")):
            comment.append(lines[above])
            above -= 1
        if not any(re.search(r"\bcounterpart", part, re.IGNORECASE) for part in comment if part.startswith("///")):
            yield index + 1, (
                f"the doc comment of `{found.group(1)}` names no counterpart in AFNetworking or Alamofire;"
                " if there is none, say so"
            )



def long_prose(path: str, lines: list[str]) -> Iterator[Problem]:
    """Lines of prose over 100 columns: comments, and Markdown outside of tables and code."""
    suffix = Path(path).suffix
    finder = prose_of_markdown if suffix == ".md" else prose_of_code
    for number, line in finder(suffix, lines):
        # A single word that is too long, such as an address, cannot be wrapped.
        if len(line) > PROSE_COLUMNS and re.search(r"\w\s+\S", line.strip()):
            yield number, f"{len(line)} columns of prose"


def prose_of_markdown(_: str, lines: list[str]) -> Iterator[tuple[int, str]]:
    is_code = False
    for number, line in enumerate(lines, start=1):
        if FENCE.match(line):
            is_code = not is_code
        elif not is_code and not line.startswith(("    ", "\t", "|")) and not re.match(r"\[[^]]+\]:", line):
            yield number, line


def prose_of_code(suffix: str, lines: list[str]) -> Iterator[tuple[int, str]]:
    begin = COMMENTS.get(suffix)
    if begin is None:
        return
    is_code = False
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text.startswith(begin):
            is_code = False
            if begin == "//" and TRAILING_COMMENT.search(line):
                yield number, line
            continue
        content = text.lstrip(begin)
        if FENCE.match(content):
            is_code = not is_code
        elif not is_code and not content.startswith("     ") and not content.lstrip().startswith("|"):
            yield number, line


def is_short(path: str, lines: list[str]) -> bool:
    return path.endswith(".swift") and Path(path).name != "Package.swift" and len(lines) <= SHORT_FILE


def main(arguments: list[str]) -> int:
    report = arguments.pop(0) if arguments[:1] in (["--prose"], ["--short"], ["--counts"]) else None
    repository = Path(__file__).resolve().parent.parent.parent
    own = own_paths(Path(os.path.expanduser("~")), repository)
    problems = short = 0
    for path in arguments:
        lines = lines_of(path)
        if lines is None:
            continue
        its_prose = list(long_prose(path, lines))
        found = its_prose if report == "--prose" else []
        if report is None:
            found = list(check(path, lines, own)) + its_prose
        elif report == "--short" and is_short(path, lines):
            found = [(len(lines), "is the last line; could this file be a part of another one?")]
        for number, sentence in found:
            print(f"{path}:{number}: {sentence}")
        problems += len(found)
        short += is_short(path, lines)
    if report == "--counts":
        print(f"{short} Swift files of at most {SHORT_FILE} lines (scripts/lint --short)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
