import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import command_help
import completions
from command_dump import DUMP

PROGRAM = completions.Program(command_help.read(DUMP))


class Bash(unittest.TestCase):
    """The script in bash itself, on a terminal."""

    # ESC * inserts all completions, and Control-G writes the line.
    SETUP = (
        "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source completion; "
        r"""bind -x '"\C-g": printf "<%s>\n" "$READLINE_LINE"'; echo READY."""
    )
    ALL, SHOW, CLEAR = "\x1b*", "\x07", "\x15"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        (root / "completion").write_text(completions.bash(PROGRAM))
        for name in ("photo.png", "photos/a b.txt", "notes.txt"):
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).touch()
        cls.shell, cls.terminal = pty.fork()
        if cls.shell == 0:
            os.chdir(root)
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], os.environ | {"TERM": "dumb", "PS1": "$ "})
        cls.send(cls.SETUP + "\n", "\nREADY.")

    @classmethod
    def tearDownClass(cls):
        os.close(cls.terminal)
        os.waitpid(cls.shell, 0)
        cls.folder.cleanup()

    @classmethod
    def send(cls, text: str, end: str) -> str:
        os.write(cls.terminal, text.encode())
        output = ""
        while end not in output:
            if not select.select([cls.terminal], [], [], 20)[0]:
                raise TimeoutError(output)
            output += os.read(cls.terminal, 65_536).decode(errors="replace").replace("\r", "")
        return output

    def complete(self, line: str, key: str = ALL) -> str:
        """The words that come in place of the last word of the line."""
        output = self.send(f"{line}{key}{self.SHOW}", ">\n")
        self.send(f"{self.CLEAR}echo DONE.\n", "\nDONE.")
        shown = output[output.rindex("<") + 1:output.rindex(">")]
        head = line[:line.rindex(" ") + 1]
        self.assertTrue(shown.startswith(head), shown)
        return shown.removeprefix(head).strip()

    def test_the_first_word_is_a_command(self):
        self.assertEqual(self.complete("bluebonnet "), "cookies get help post trust upload")

    def test_a_method_may_be_in_capital_letters(self):
        self.assertEqual(self.complete("bluebonnet P"), "POST")
        self.assertEqual(self.complete("bluebonnet POST :8080 --j"), "--json")

    def test_a_request_without_a_command_has_the_options_of_requests(self):
        self.assertEqual(self.complete("bluebonnet example.org --o"), "--output")
        self.assertEqual(self.complete("bluebonnet :8080/path --o"), "--output")
        self.assertEqual(self.complete("bluebonnet --o"), "--output")

    def test_a_command_has_its_own_options(self):
        self.assertEqual(self.complete("bluebonnet upload --"), "--form --help --json --output --version")
        self.assertEqual(self.complete("bluebonnet trust --"), "--help --version")

    def test_no_option_is_offered_behind_the_end_of_options(self):
        self.assertEqual(self.complete("bluebonnet get x -- --o"), "--o")

    def test_values_that_the_help_names_are_offered(self):
        self.assertEqual(self.complete("bluebonnet get --style "), "dark light")
        self.assertEqual(self.complete("bluebonnet get --style=d"), "--style=dark")
        self.assertEqual(self.complete("bluebonnet get --cache m"), "memory")

    def test_files_and_folders_are_offered_where_they_are_values(self):
        self.assertEqual(self.complete("bluebonnet get x -o n"), "notes.txt")
        self.assertEqual(self.complete("bluebonnet get x --output=n"), "--output=notes.txt")
        self.assertEqual(self.complete("bluebonnet get x --cache p"), "photos")
        self.assertEqual(self.complete("bluebonnet upload photo."), "photo.png")

    def test_a_value_of_any_text_is_left_to_the_user(self):
        self.assertEqual(self.complete("bluebonnet upload --form n"), "n")

    def test_the_file_of_an_item_is_offered(self):
        self.assertEqual(self.complete("bluebonnet post :8080 @n"), "@notes.txt")
        self.assertEqual(self.complete("bluebonnet post :8080 text=@n"), "text=@notes.txt")
        self.assertEqual(self.complete("bluebonnet post :8080 photo@photo."), "photo@photo.png")
        self.assertEqual(self.complete("bluebonnet post :8080 photo@photos", key="\t"), "photo@photos/")
        self.assertEqual(self.complete("bluebonnet post :8080 photo@photos/", key="\t"), "photo@photos/a\\ b.txt")

    def test_a_word_of_an_item_without_a_file_is_left_to_the_user(self):
        self.assertEqual(self.complete("bluebonnet post :8080 n"), "n")

    def test_the_commands_below_a_command_are_offered(self):
        self.assertEqual(self.complete("bluebonnet cookies "), "clear list")
        self.assertEqual(self.complete("bluebonnet cookies list n"), "notes.txt")
        self.assertEqual(self.complete("bluebonnet help c"), "cookies")


class OtherShells(unittest.TestCase):
    OPTIONS = {
        name: sorted(one for option in command.options for one in option.names)
        for name, command in PROGRAM.leaves.items()
    }

    def test_zsh_has_the_options_of_every_command_in_its_section(self):
        sections = re.findall(r"^ {8}'([a-z ]+)'\)\n((?: {12,}.*\n)+)", completions.zsh(PROGRAM), re.M)
        found = {name: sorted(re.findall(r"'(?:\([^)]*\)|\*)(-[\w.-]+)=?\[", lines)) for name, lines in sections}
        self.assertEqual(found, self.OPTIONS)

    def test_fish_has_the_options_of_every_command_with_its_condition(self):
        found = {name: [] for name in PROGRAM.leaves}
        lines = re.findall(r"-n '__bluebonnet_is ([^']+)'((?: -[sl] \S+)+)", completions.fish(PROGRAM))
        for condition, options in lines:
            for name in shlex.split(condition):
                found[name] += [("-" if kind == "s" else "--") + one for kind, one in re.findall(r"-([sl]) (\S+)", options)]
        self.assertEqual({name: sorted(options) for name, options in found.items()}, self.OPTIONS)

    def test_both_offer_the_commands_and_those_below_them(self):
        for name in PROGRAM.names:
            self.assertIn(f"-n __fish_use_subcommand -a {name} ", completions.fish(PROGRAM))
            self.assertRegex(completions.zsh(PROGRAM), rf"(?m)^ {{8}}'{name}:")
        for name in ("list", "clear"):
            self.assertIn(f"'__bluebonnet_is_below cookies' -a {name} ", completions.fish(PROGRAM))
            self.assertIn(f"'{name}:", completions.zsh(PROGRAM))

    def test_marks_of_zsh_in_a_description_are_escaped(self):
        self.assertEqual(completions.zsh_text("[scheme://]host"), "\\[scheme\\://\\]host")

    def test_the_scripts_have_no_syntax_errors(self):
        for shell, script in (("zsh", completions.zsh(PROGRAM)), ("fish", completions.fish(PROGRAM))):
            if shutil.which(shell):
                done = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
