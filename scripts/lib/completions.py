"""Writes the completion script of a shell.

    bluebonnet --experimental-dump-help | completions.py bash|zsh|fish

ArgumentParser makes such scripts, too, but they know only commands, while a request needs none, and
they do not complete the files of items.
"""

import json
import sys
from collections.abc import Iterator

import command_help
from command_help import Argument, Command

# What a request without a command is called in the scripts.
REQUEST = "request"
HEADER = "# Completion of the command bluebonnet for {shell}, made from its help.\n"


class Program:
    """The commands, of which those for requests are one."""

    def __init__(self, program: Command):
        self.names = [command.path[0] for command in program.subcommands]
        self.verbs = [command.path[0] for command in command_help.requests(program)]
        self.abstracts = {command.path[0]: command.abstract for command in program.subcommands}
        self.groups = [command for command in program.subcommands if command.subcommands]
        # The options of the program itself, such as --version, are those of each command, too.
        self.leaves = {
            (REQUEST if command.name == "get" else command.name): command
            for command in program.all()
            if not command.subcommands and (command.name == "get" or command.path[0] not in self.verbs)
        }

    def positional_kind(self, name: str) -> str:
        """Of what comes without an option's name: "file", "directory", "item", "command" or "text"."""
        if name == "help":
            return "command"
        positionals = self.leaves[name].positionals
        if any(argument.value == "item" for argument in positionals):
            return "item"
        return next((argument.kind for argument in positionals if argument.kind != "text"), "text")


def quoted(text: str) -> str:
    """A word of bash and of zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


# --- bash -----------------------------------------------------------------------------------------

BASH = r"""
# COMPREPLY is the names of files (-f) or folders (-d) that begin with the text.
_bluebonnet_names()
{
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# The same for the file behind the last @ of an item, with what is in front of it. Such a word is
# not the name of a file, which the shell would quote and end by itself.
_bluebonnet_item()
{
    local index name
    mapfile -t COMPREPLY < <(compgen -f -- "${1##*@}")
    for index in "${!COMPREPLY[@]}"; do
        name=${COMPREPLY[index]}
        printf -v "COMPREPLY[index]" '%s%q' "${1%@*}@" "$name"
        if [[ -d $name ]]; then
            COMPREPLY[index]+=/
            ((${#COMPREPLY[@]} > 1)) || compopt -o nospace
        fi
    done
}

_bluebonnet()
{
    local text=$2 word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=@REQUEST@ group='' option='' options='' index
    COMPREPLY=()

    if ((COMP_CWORD == 1)) && [[ $text != -* && $text != *@* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '@NAMES@' -- "$text")
        # Methods may be written in capital letters.
        [[ -z $text ]] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W '@METHODS@' -- "$text")
        return
    fi
    case ${COMP_WORDS[1]} in
@COMMANDS@
    esac
    if [[ -n $group ]]; then
        if ((COMP_CWORD == 2)); then
            mapfile -t COMPREPLY < <(compgen -W "$group" -- "$text")
            return
        fi
        command+=" ${COMP_WORDS[2]}"
    fi

    # “--name=value” is three words, unless “=” does not break words.
    if [[ $word == = ]]; then
        option=$previous
    elif [[ $previous == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $previous == -* ]]; then
        option=$previous
    fi
    case "$command $option" in
@VALUES@
    esac

    case $command in
@OPTIONS@
    esac
    for ((index = 1; index < COMP_CWORD; index++)); do
        [[ ${COMP_WORDS[index]} == -- ]] && options=''
    done
    if [[ -n $options && $text == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$text")
        return
    fi

    case $command in
@POSITIONALS@
    esac
} && complete -F _bluebonnet bluebonnet
"""


def bash_values(program: Program) -> Iterator[str]:
    """What stands behind an option: the patterns of the same kind in one case."""
    cases: dict[str, list[str]] = {}
    for name, command in program.leaves.items():
        for option in command.options:
            if option.value is None:
                continue
            action = {
                "file": '_bluebonnet_names -f "$text"',
                "directory": '_bluebonnet_names -d "$text"',
            }.get(option.kind, "")
            if option.values:
                words = f"mapfile -t -O \"${{#COMPREPLY[@]}}\" COMPREPLY < <(compgen -W '{' '.join(option.values)}' -- \"$text\")"
                action = f"{action}; {words}" if action else words
            cases.setdefault(action, []).extend(f"{name} {one}" for one in option.names)
    for action, patterns in cases.items():
        yield "        " + " | ".join(f'"{pattern}"' for pattern in patterns) + ")"
        yield f"            {action}; return ;;" if action else "            return ;;"


def bash(program: Program) -> str:
    verbs = " | ".join("".join(f"[{letter.upper()}{letter}]" for letter in verb) for verb in program.verbs)
    commands = [f"        {verbs}) ;;"]
    for command in program.groups:
        names = " ".join(one.path[-1] for one in command.subcommands)
        commands.append(f"        {command.name}) command={command.name} group='{names}' ;;")
    plain = [name for name in program.leaves if name != REQUEST and " " not in name]
    commands.append(f"        {' | '.join(plain)}) command=${{COMP_WORDS[1]}} ;;")

    options = [
        f"        '{name}') options='{' '.join(one for option in command.options for one in option.names)}' ;;"
        for name, command in program.leaves.items()
    ]
    kinds: dict[str, list[str]] = {}
    for name in program.leaves:
        kinds.setdefault(program.positional_kind(name), []).append(f"'{name}'")
    actions = {
        "file": ['_bluebonnet_names -f "$text"'],
        "directory": ['_bluebonnet_names -d "$text"'],
        "command": [f"mapfile -t COMPREPLY < <(compgen -W '{' '.join(program.names)}' -- \"$text\")"],
        # “name=@file” is three words or one, by COMP_WORDBREAKS.
        "item": [
            "if [[ $text == *@* ]]; then",
            '    _bluebonnet_item "$text"',
            "elif [[ $word == *@ || ( $previous == *@ && -n $word ) ]]; then",
            '    _bluebonnet_names -f "$text"',
            "fi",
        ],
    }
    positionals = []
    for kind, lines in actions.items():
        if kind in kinds:
            positionals += [f"        {' | '.join(kinds[kind])})"] + [f"            {line}" for line in lines] + ["            ;;"]

    text = BASH
    for mark, value in {
        "REQUEST": REQUEST,
        "NAMES": " ".join(program.names),
        "METHODS": " ".join(verb.upper() for verb in program.verbs),
        "COMMANDS": "\n".join(commands),
        "VALUES": "\n".join(bash_values(program)),
        "OPTIONS": "\n".join(options),
        "POSITIONALS": "\n".join(positionals),
    }.items():
        text = text.replace(f"@{mark}@", value)
    return HEADER.format(shell="bash") + text


# --- zsh ------------------------------------------------------------------------------------------

ZSH = r"""
# A file behind the last @ of an item, as in photo@cat.png and name=@text.
_bluebonnet_item()
{
    if compset -P '*@'; then _files; else _message 'item: Name:value name==value name=value name:=json name@file'; fi
}

# A message in its place would keep the shell from inserting an option.
_bluebonnet_nothing() { return 1; }

_bluebonnet_file_or() { compadd -- "$@"; _files; }
_bluebonnet_directory_or() { compadd -- "$@"; _files -/; }

_bluebonnet_commands()
{
    local -a commands=(
@COMMANDS@
    )
    _describe -t commands command commands
}

_bluebonnet_methods()
{
    local -a methods=(@METHODS@)
    [[ -z $PREFIX ]] || _describe -t methods method methods
}

_bluebonnet()
{
    local command=@REQUEST@
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _alternative 'commands:command:_bluebonnet_commands' 'methods:method:_bluebonnet_methods'
        return
    fi
    case $words[2] in
        (#i)(@VERBS@)) shift words; (( CURRENT-- )) ;;
        @NAMES@) command=$words[2]; shift words; (( CURRENT-- )) ;;
    esac
    case $command in
@GROUPS@
    esac
    case $command in
@ARGUMENTS@
    esac
}

_bluebonnet_with_extended_glob()
{
    setopt localoptions extendedglob
    _bluebonnet "$@"
}

if [[ $funcstack[1] == _bluebonnet ]]; then
    _bluebonnet_with_extended_glob "$@"
else
    compdef _bluebonnet_with_extended_glob bluebonnet
fi
"""


def zsh_text(text: str) -> str:
    """The text of a description in a spec of `_arguments`."""
    for letter in "\\[]:":
        text = text.replace(letter, "\\" + letter)
    return text


def zsh_value(argument: Argument) -> str:
    words = " ".join(argument.values)
    action = {"file": "_files", "directory": "_files -/", "values": f"({words})", "text": " "}
    value = action[argument.kind]
    if argument.values and argument.kind != "values":
        # The space keeps `_arguments` from adding words of its own.
        value = f" _bluebonnet_{argument.kind}_or {words}"
    return f":{zsh_text(argument.value or '')}:{value}"


def zsh_option(option: Argument) -> str:
    value = zsh_value(option) if option.value else ""
    text = f"[{zsh_text(option.summary)}]"
    names = [name + ("=" if option.value and name.startswith("--") else "") for name in option.names]
    if option.is_repeating:
        return " ".join(quoted(f"*{name}{text}{value}") for name in names)
    others = " ".join(option.names)
    return " ".join(quoted(f"({others}){name}{text}{value}") for name in names)


def zsh(program: Program) -> str:
    groups = []
    for group in program.groups:
        texts = " ".join(quoted(f"{one.path[-1]}:{one.abstract}") for one in group.subcommands)
        groups += [
            f"        {group.name})",
            "            if (( CURRENT == 2 )); then",
            f"                local -a commands=({texts})",
            "                _describe -t commands command commands",
            "                return",
            "            fi",
            '            command+=" $words[2]"; shift words; (( CURRENT-- )) ;;',
        ]
    arguments = []
    for name, command in program.leaves.items():
        action = {
            "item": "*:item:_bluebonnet_item", "file": "*:file:_files", "directory": "*:folder:_files -/",
            "command": "*:command:_bluebonnet_commands", "text": "*:argument:_bluebonnet_nothing",
        }[program.positional_kind(name)]
        arguments.append(f"        {quoted(name)})")
        arguments.append("            _arguments -s -S : \\")
        arguments += [f"                {zsh_option(option)} \\" for option in command.options]
        arguments.append(f"                {quoted(action)} ;;")
    text = ZSH
    for mark, value in {
        "REQUEST": REQUEST,
        "COMMANDS": "\n".join(
            f"        {quoted(name + ':' + abstract.rstrip('.'))}" for name, abstract in program.abstracts.items()),
        "METHODS": " ".join(verb.upper() for verb in program.verbs),
        "VERBS": "|".join(program.verbs),
        "NAMES": "|".join(name for name in program.names if name not in program.verbs),
        "GROUPS": "\n".join(groups),
        "ARGUMENTS": "\n".join(arguments),
    }.items():
        text = text.replace(f"@{mark}@", value)
    return "#compdef bluebonnet\n" + HEADER.format(shell="zsh") + text


# --- fish -----------------------------------------------------------------------------------------

FISH = r"""
# Whether the line is for one of these commands; a line without a command is a request.
function __bluebonnet_is
    set -l words (commandline -opc)
    set -l command @REQUEST@
    if set -q words[2]
        switch (string lower -- $words[2])
            case @VERBS@
            case @GROUPS@
                set command "$words[2] $words[3]"
            case @NAMES@
                set command $words[2]
        end
    end
    contains -- $command $argv
end

# Whether the next word is the subcommand of a command.
function __bluebonnet_is_below
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test "$words[2]" = $argv[1]
end

# The files behind the last @ of an item, as in photo@cat.png and name=@text.
function __bluebonnet_items
    set -l token (commandline -ct)
    set -l parts (string match -r '^(.*@)([^@]*)$' -- $token); or return
    for file in (complete -C "'' $parts[3]")
        echo $parts[2]$file
    end
end

complete -c bluebonnet -f
"""


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_is(names: list[str]) -> str:
    """A condition for `complete`: a line for one of these commands."""
    return fish_quoted("__bluebonnet_is " + " ".join(f'"{name}"' if " " in name else name for name in names))


def fish(program: Program) -> str:
    plain = [name for name in program.leaves if name != REQUEST and " " not in name]
    text = FISH
    for mark, value in {
        "REQUEST": REQUEST,
        "VERBS": " ".join(program.verbs),
        "GROUPS": " ".join(group.name for group in program.groups),
        "NAMES": " ".join(plain),
    }.items():
        text = text.replace(f"@{mark}@", value)
    lines = []
    for name, abstract in program.abstracts.items():
        lines.append(f"complete -c bluebonnet -n __fish_use_subcommand -a {name} -d {fish_quoted(abstract.rstrip('.'))}")
    for group in program.groups:
        for one in group.subcommands:
            lines.append(
                f"complete -c bluebonnet -n '__bluebonnet_is_below {group.name}' -a {one.path[-1]} "
                f"-d {fish_quoted(one.abstract.rstrip('.'))}")
    # An option that several commands have is one line.
    options: dict[str, list[str]] = {}
    for name, command in program.leaves.items():
        for option in command.options:
            words = [f"-{'l' if one.startswith('--') else 's'} {one.lstrip('-')}" for one in option.names]
            if option.value is not None:
                words.append("-r -F" if option.kind == "file" else "-x")
                values = list(option.values) + (["(__fish_complete_directories)"] if option.kind == "directory" else [])
                if values:
                    words.append(f"-a {fish_quoted(' '.join(values))}")
            words.append(f"-d {fish_quoted(option.summary)}")
            options.setdefault(" ".join(words), []).append(name)
    lines += [f"complete -c bluebonnet -n {fish_is(names)} {words}" for words, names in options.items()]

    kinds: dict[str, list[str]] = {}
    for name in program.leaves:
        kinds.setdefault(program.positional_kind(name), []).append(name)
    actions = {
        "file": "-F", "directory": "-a '(__fish_complete_directories)'", "item": "-a '(__bluebonnet_items)'",
        "command": f"-a {fish_quoted(' '.join(program.names))}",
    }
    lines += [f"complete -c bluebonnet -n {fish_is(kinds[kind])} {action}" for kind, action in actions.items() if kind in kinds]
    return HEADER.format(shell="fish") + text + "\n" + "\n".join(lines) + "\n"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in SHELLS:
        print(__doc__, file=sys.stderr)
        return 2
    sys.stdout.write(SHELLS[arguments[0]](Program(command_help.read(json.load(sys.stdin)))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
