"""The help of the command as values, read from the JSON of `bluebonnet --experimental-dump-help`.
The manual page and the completions of the shells are made from it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# The words of a value's name that stand for a value; other words between bars are the values.
PLACEHOLDERS = {"dir", "file", "folder", "path", "redis-url", "url"}


@dataclass(frozen=True)
class Argument:
    """An option, a flag, or an argument without a name."""

    names: tuple[str, ...]  # with their dashes; empty for an argument without a name
    value: str | None  # the name of the value; None for a flag
    values: tuple[str, ...]  # the values that there are, as far as the help names them
    kind: str  # of the value: "file", "directory", "values", or "text"
    abstract: str
    discussion: str
    default: str | None
    is_optional: bool
    is_repeating: bool
    section: str | None

    @property
    def name(self) -> str:
        """The longest name without its dashes, or that of the value."""
        return max(self.names, key=len).lstrip("-") if self.names else self.value or ""

    @property
    def summary(self) -> str:
        """The first sentence, without its full stop."""
        return re.split(r"(?<=\w\w|.[)`'”])\.(?=\s|$)", self.abstract.strip(), maxsplit=1)[0]


@dataclass(frozen=True)
class Command:
    path: tuple[str, ...]  # without the name of the program
    abstract: str
    discussion: str
    arguments: tuple[Argument, ...]
    subcommands: tuple["Command", ...] = field(default=())

    @property
    def name(self) -> str:
        return " ".join(self.path)

    @property
    def options(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.names]

    @property
    def positionals(self) -> list[Argument]:
        return [argument for argument in self.arguments if not argument.names]

    def all(self) -> Iterator["Command"]:
        """The commands below this one, each in front of its own."""
        for command in self.subcommands:
            yield command
            yield from command.all()

    def is_like(self, other: "Command") -> bool:
        """Whether it has the arguments of another command."""
        return self.arguments == other.arguments


def _argument(source: dict) -> Argument:
    names = tuple(("-" if name["kind"] == "short" else "--") + name["name"] for name in source.get("names", []))
    value = None if source["kind"] == "flag" else source["valueName"]
    words = value.split("|") if value else []
    values = tuple(source.get("allValues") or (word for word in words if len(words) > 1 and word not in PLACEHOLDERS))
    completion = source.get("completionKind") or {}
    kind = next((kind for kind in ("file", "directory") if kind in completion), "values" if values else "text")
    return Argument(
        # A short name stands in front of the long ones.
        names=tuple(sorted(names, key=lambda name: name.startswith("--"))),
        value=value,
        values=values,
        kind=kind,
        abstract=source.get("abstract", ""),
        discussion=source.get("discussion", ""),
        default=source.get("defaultValue") if value else None,
        is_optional=source.get("isOptional", True),
        is_repeating=source.get("isRepeating", False),
        section=source.get("sectionTitle"),
    )


def _command(source: dict, path: tuple[str, ...]) -> Command:
    return Command(
        path=path,
        abstract=source.get("abstract", ""),
        discussion=source.get("discussion", ""),
        arguments=tuple(_argument(one) for one in source.get("arguments", []) if one.get("shouldDisplay", True)),
        subcommands=tuple(
            _command(one, (*path, one["commandName"]))
            for one in source.get("subcommands", [])
            if one.get("shouldDisplay", True)
        ),
    )


def read(dump: dict) -> Command:
    """The program, whose subcommands are the commands."""
    return _command(dump["command"], ())


def requests(program: Command) -> list[Command]:
    """The commands for requests of one method each: `get` and those with its arguments."""
    get = next(command for command in program.subcommands if command.path == ("get",))
    return [command for command in program.subcommands if command.is_like(get)]
