"""Writes the manual page of the command, in mdoc(7).

    bluebonnet --experimental-dump-help | manual.py TEMPLATE

The template says where the help goes. The date of the page is that of SOURCE_DATE_EPOCH, or today.
"""

import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import command_help
from command_help import Argument, Command

# Characters that are written by a name, so that a page in ASCII has something for them. A dash of
# an option must not become a hyphen.
NAMES = str.maketrans({
    "\\": "\\e", "-": "\\-", "“": "\\(lq", "”": "\\(rq", "‘": "\\(oq", "’": "\\(cq", "…": "...", "–": "\\(en",
    "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
})
# The end of a sentence, which ends a line of mdoc.
SENTENCE = re.compile(r"(?<=[\w\]“”`')][.!?])\s+(?=[A-Z“\"])|(?<=[a-z][.!?]) +(?=\S)")
# The lines above the statuses and the examples of a command.
STATUSES = "Exit status:"
HEADINGS = {STATUSES, "Example:", "Examples:"}
# A line of a table in the help: a word or more, and behind a gap what it means.
ROW = re.compile(r"(\S.*?) {2,}(\S.*)")


# A word that is not English, such as a URL, and has no hyphens at the ends of lines.
CODE = re.compile(r"(?<!\S)(?=\S*\w[:/=\[@_.]\S*\w)")


def escaped(text: str) -> str:
    text = CODE.sub(r"\\%", text.translate(NAMES))
    # A dot or an apostrophe at the beginning of a line would make it a request.
    return "\\&" + text if text[:1] in (".", "'") else text


def words(text: str) -> str:
    """A text as the argument of a macro."""
    text = text.translate(NAMES)
    return f'"{text}"' if re.search(r"[\s\"]", text) else text


def prose(text: str) -> Iterator[str]:
    """A paragraph; each sentence begins a line."""
    for sentence in SENTENCE.split(" ".join(text.split())):
        # A line of the source has no more than 80 bytes.
        for line in textwrap.wrap(sentence, 60, break_long_words=False, break_on_hyphens=False):
            yield escaped(line)


def literal(lines: Iterable[str]) -> Iterator[str]:
    yield ".Bd -literal -offset indent"
    yield from map(escaped, lines)
    yield ".Ed"


def table(rows: Iterable[tuple[str, str]], width: str) -> Iterator[str]:
    yield f".Bl -tag -compact -width {width}"
    for name, meaning in rows:
        yield f".It Li {words(name)}"
        yield from prose(meaning)
    yield ".El"


def blocks(text: str) -> Iterator[list[str]]:
    """The blocks of a text of the help: lines that are indented, or lines that are not."""
    block: list[str] = []
    for line in text.splitlines():
        if not line.strip() or (block and line.startswith(" ") != block[-1].startswith(" ")):
            if block:
                yield block
            block = []
        if line.strip():
            block.append(line)
    if block:
        yield block


def discussion(text: str, usual_statuses: list[str]) -> Iterator[str]:
    """The discussion of a command: paragraphs, examples, and its exit statuses where they are not
    the usual ones."""
    heading = ""
    after_usual = False
    for block in blocks(text):
        lines = [line.strip() for line in block]
        if not block[0].startswith(" "):
            # The last line above examples and statuses is their heading.
            heading = lines.pop() if lines[-1] in HEADINGS else ""
            if lines:
                yield ".Pp"
                if after_usual:
                    yield "The exit status is that of requests."
                yield from prose(" ".join(lines))
            after_usual = False
        elif heading == STATUSES:
            after_usual = lines == usual_statuses
            if not after_usual:
                yield ".Pp"
                yield heading
                yield from status_table(lines)
        else:
            if heading:
                yield ".Pp"
                yield heading
            yield from literal(lines if heading else (line[2:] for line in block))


def statuses(command: Command) -> list[str]:
    """The lines of a command's exit statuses."""
    is_below = False
    for block in blocks(command.discussion):
        if is_below:
            return [line.strip() for line in block]
        is_below = block[-1] == STATUSES
    return []


def status_table(lines: list[str]) -> Iterator[str]:
    return table((row.groups() for line in lines if (row := ROW.fullmatch(line))), "00_")


def names(option: Argument) -> str:
    """The names of an option, as arguments of `.It`."""
    flags = " , ".join("Fl " + words(name.removeprefix("-")) for name in option.names)
    return flags + (f" Ar {words(option.value)}" if option.value else "")


def about(option: Argument) -> Iterator[str]:
    yield from prose(option.abstract.replace("(repeatable)", ""))
    extra = []
    if option.kind == "values" and not all(value in option.abstract for value in option.values):
        extra.append(f"One of {', '.join(option.values)}.")
    if option.default and "(default:" not in option.abstract:
        extra.append(f"The default is {option.default}.")
    if option.is_repeating and "repeated" not in option.abstract:
        extra.append("May be repeated.")
    yield from (escaped(one) for one in extra)
    yield from prose(option.discussion)


def option_list(options: list[Argument]) -> Iterator[str]:
    """A list of options. A flag and the one that undoes it are one entry."""
    if not options:
        return
    yield ".Bl -tag -width Ds"
    by_name = {option.name: option for option in options}
    for option in options:
        positive = by_name.get(option.name.removeprefix("no-")) if option.name.startswith("no-") else None
        if positive and positive.abstract == option.abstract:
            continue
        negative = by_name.get("no-" + option.name)
        both = negative is not None and negative.abstract == option.abstract
        yield ".It " + names(option) + (" , " + names(negative) if both else "")
        yield from about(option)
        if both and option.abstract and "(default:" not in option.abstract:
            yield from [f"The default is {escaped('--' + option.name)}."] if option.value is None else []
    yield ".El"


def items(program: Command) -> Iterator[str]:
    """The table of items, and the paragraphs below it."""
    item = next(one for one in command_help.requests(program)[0].positionals if one.value == "item")
    rows: list[tuple[str, str]] = []
    paragraph: list[str] = []
    for line in item.discussion.splitlines():
        if line.startswith(" ") and rows and not paragraph:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}")
        elif (row := ROW.fullmatch(line)) and not paragraph:
            rows.append((row[1], row[2]))
        else:
            paragraph.append(line)
    yield from table(((name, meaning.rstrip(".") + ".") for name, meaning in rows), "name==value_")
    yield ".Pp"
    yield from prose(" ".join(paragraph))


def synopsis(command: Command) -> Iterator[str]:
    yield ".Pp"
    yield f".Nm Cm {command.name}"
    if command.options:
        yield ".Op Ar options"
    for argument in command.positionals:
        value = words(argument.value or "")
        if argument.is_repeating:
            value += " ..."
        yield f".Op Ar {value}" if argument.is_optional else f".Ar {value}"


def own_options(command: Command, known: list[Argument]) -> list[Argument]:
    """The options that requests do not have, or that are not the same there."""
    shared = {(option.names, option.abstract) for option in known}
    return [option for option in command.options if (option.names, option.abstract) not in shared]


def commands(program: Command) -> Iterator[str]:
    verbs = command_help.requests(program)
    usual = statuses(verbs[0])
    known = verbs[0].options
    yield ".Ss " + " , ".join(f"Cm {verb.name}" for verb in verbs)
    yield ".Pp"
    yield ".Nm Ar method Oo Ar options Oc Ar url Op Ar item ..."
    yield ".Pp"
    yield "Sends a request, as without a command."
    for command in program.subcommands:
        if command in verbs or command.name == "help":
            continue
        yield f".Ss Cm {command.name}"
        parts = [command, *command.subcommands]
        for part in parts:
            if part.subcommands:
                yield ".Pp"
            else:
                yield from synopsis(part)
                yield ".Pp"
            yield from prose(part.abstract)
            if part.discussion:
                yield ".Pp"
                yield from discussion(part.discussion, usual)
            own = own_options(part, known)
            if own:
                yield ".Pp"
                yield from option_list(own)
            shared = [one for one in part.options if one not in own and one.name not in ("help", "version")]
            if shared:
                yield ".Pp"
                yield "The options of requests that it has, too:"
                last = len(shared) - 1
                for index, option in enumerate(shared):
                    yield f".Fl {words(option.names[-1].removeprefix('-'))} {'.' if index == last else ','}"


class Options:
    """The options of requests, which the sections of the template share out."""

    def __init__(self, program: Command, template: list[str]):
        self.all = command_help.requests(program)[0].options
        self.wanted = {name for line in template if line.startswith("@OPTIONS ") for name in line.split()[1:]}

    def section(self, names: list[str]) -> Iterator[str]:
        if names == ["*"]:
            return option_list([option for option in self.all if option.name not in self.wanted])
        return option_list([option for name in names for option in self.all if option.name == name])


def without_empty_paragraphs(lines: list[str]) -> Iterator[str]:
    """Leaves out `.Pp` where the line in front of it or behind it makes the space already."""
    for index, line in enumerate(lines):
        before, after = lines[index - 1], lines[index + 1] if index + 1 < len(lines) else ""
        if line != ".Pp" or not (before.startswith((".Ss", ".Sh")) or after.startswith((".Pp", ".Bl -tag -width"))):
            yield line


def page(program: Command, template: str, date: datetime) -> str:
    lines = template.splitlines()
    options = Options(program, lines)
    made: list[str] = []
    for line in lines:
        mark, *names = line.split() if line.startswith("@") else ("",)
        match mark:
            case "@ITEMS":
                made += items(program)
            case "@COMMANDS":
                made += commands(program)
            case "@OPTIONS":
                made += options.section(names)
            case "@EXIT-STATUS":
                made += status_table(statuses(command_help.requests(program)[0]))
            case _:
                made.append(line.replace("@DATE@", f"{date:%B} {date.day}, {date.year}"))
    return "\n".join(without_empty_paragraphs(made)) + "\n"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    date = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    program = command_help.read(json.load(sys.stdin))
    sys.stdout.write(page(program, Path(arguments[0]).read_text(encoding="utf-8"), date))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
