"""A small help of the command, as `bluebonnet --experimental-dump-help` writes it."""


def names(*words: str) -> list[dict]:
    return [{"kind": "long" if word.startswith("--") else "short", "name": word.lstrip("-")} for word in words]


def flag(*words: str, about: str = "A flag.", **more) -> dict:
    return {"kind": "flag", "names": names(*words), "valueName": words[0].lstrip("-"), "abstract": about} | more


def option(*words: str, value: str = "text", about: str = "An option.", **more) -> dict:
    return {"kind": "option", "names": names(*words), "valueName": value, "abstract": about} | more


def positional(value: str, **more) -> dict:
    return {"kind": "positional", "valueName": value, "abstract": "An argument.", "isOptional": False} | more


FILE = {"completionKind": {"file": {"extensions": []}}}
FOLDER = {"completionKind": {"directory": {}}}
HELP = [flag("--version", about="Show the version."), flag("-h", "--help", about="Show help information.")]
ITEMS = """\
Name:value    a header; "Name:" leaves out one that is sent by
              default
name==value   a query parameter
A backslash takes the meaning of a character. ~/ is the home folder."""
STATUSES = "Exit status:\n  0  a response\n  1  none"
REQUEST = [
    positional("url"),
    positional("item", isOptional=True, isRepeating=True, discussion=ITEMS),
    flag("--json", "-j", about="Send JSON. It is the default."),
    option("--output", "-o", value="file", about="Write the body to a file.", **FILE),
    option("--style", value="theme", allValues=["dark", "light"], defaultValue="dark"),
    option("--cache", value="dir|memory|off", about="Store responses.", **FOLDER),
    option("--pin", value="pin", about="A pin. (repeatable)", isRepeating=True),
    flag("--follow", about="Follow redirects.", defaultValue="--follow"),
    flag("--no-follow", about="Follow redirects."),
    *HELP,
]
DUMP = {
    "command": {
        "commandName": "bluebonnet",
        "abstract": "Sends requests.",
        "arguments": HELP,
        "subcommands": [
            {
                "commandName": "get", "abstract": "Sends a GET.", "arguments": REQUEST,
                "discussion": f"Examples:\n  bluebonnet get example.org\n\n{STATUSES}",
            },
            {"commandName": "post", "abstract": "Sends a POST.", "arguments": REQUEST},
            {
                "commandName": "upload", "abstract": "Sends files.",
                "arguments": [
                    positional("file", isRepeating=True, **FILE),
                    option("--form", "-F", value="name", about="Send a form."),
                    REQUEST[2], REQUEST[3], *HELP,
                ],
                "discussion": f"Each file is a body.\n\nExamples:\n  bluebonnet upload a.png :8080\n\n{STATUSES}\n"
                              "Where uploads differ, it is 1.",
            },
            {
                "commandName": "trust", "abstract": "Shows certificates.",
                "arguments": [positional("host"), *HELP], "discussion": "Exit status:\n  0  trusted\n  6  not trusted",
            },
            {
                "commandName": "cookies", "abstract": "Shows a file of cookies.", "arguments": HELP,
                "subcommands": [
                    {"commandName": "list", "abstract": "Shows them.", "arguments": [positional("file", **FILE), *HELP]},
                    {"commandName": "clear", "abstract": "Removes them.", "arguments": [positional("file", **FILE), *HELP]},
                ],
            },
            {
                "commandName": "help", "abstract": "Shows help.",
                "arguments": [positional("subcommands", isRepeating=True, isOptional=True), flag("--help", shouldDisplay=False)],
            },
        ],
    }
}
