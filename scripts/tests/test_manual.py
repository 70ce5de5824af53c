import shutil
import subprocess
import tempfile
import unittest
from datetime import UTC, datetime
from pathlib import Path

import command_help
import manual
from command_dump import DUMP

PROGRAM = command_help.read(DUMP)
DATE = datetime(2026, 3, 7, tzinfo=UTC)
TEMPLATE = """\
.Dd @DATE@
.Dt BLUEBONNET 1
.Os
.Sh NAME
.Nm bluebonnet
.Nd send requests
.Sh DESCRIPTION
@ITEMS
.Sh OPTIONS
.Ss Bodies
@OPTIONS json
.Ss Others
@OPTIONS *
.Sh COMMANDS
@COMMANDS
.Sh EXIT STATUS
@EXIT-STATUS
"""


def page(template: str = TEMPLATE) -> list[str]:
    return manual.page(PROGRAM, template, DATE).splitlines()


class Page(unittest.TestCase):
    def test_the_date_is_that_of_the_sources(self):
        self.assertIn(".Dd March 7, 2026", page())

    def test_an_option_has_its_names_its_value_and_its_sentences(self):
        lines = page("@OPTIONS json output")
        self.assertEqual(lines[:4], [".Bl -tag -width Ds", ".It Fl j , Fl \\-json", "Send JSON.", "It is the default."])
        self.assertEqual(lines[4:6], [".It Fl o , Fl \\-output Ar file", "Write the body to a file."])

    def test_options_that_no_section_wants_are_in_the_last_one(self):
        lines = page("@OPTIONS json\n@OPTIONS *")
        self.assertEqual(sum("json" in line for line in lines), 1)
        self.assertIn(".It Fl \\-style Ar theme", lines)

    def test_values_defaults_and_repetition_are_told(self):
        lines = page("@OPTIONS style pin")
        self.assertIn("One of dark, light.", lines)
        self.assertIn("The default is dark.", lines)
        self.assertEqual(lines[lines.index(".It Fl \\-pin Ar pin") + 1:][:2], ["A pin.", "May be repeated."])

    def test_a_flag_and_its_opposite_are_one_entry(self):
        lines = page("@OPTIONS follow no-follow")
        self.assertEqual(lines[1], ".It Fl \\-follow , Fl \\-no\\-follow")
        self.assertEqual(sum(line.startswith(".It") for line in lines), 1)

    def test_items_are_a_table_with_the_text_below_it(self):
        lines = page("@ITEMS")
        self.assertIn(".It Li Name:value", lines)
        self.assertIn("a header; \"Name:\" leaves out one that is sent by default.", lines)
        self.assertEqual(lines[-2:], ["A backslash takes the meaning of a character.", "\\(ti/ is the home folder."])

    def test_the_methods_are_one_entry_of_the_commands(self):
        lines = page("@COMMANDS")
        self.assertEqual(lines[0], ".Ss Cm get , Cm post")
        self.assertEqual([line for line in lines if line.startswith(".Ss")][1:], [".Ss Cm upload", ".Ss Cm trust", ".Ss Cm cookies"])

    def test_a_command_lists_its_own_options_and_names_those_of_requests(self):
        lines = page("@COMMANDS")
        self.assertIn(".It Fl F , Fl \\-form Ar name", lines)
        start = lines.index("The options of requests that it has, too:")
        self.assertEqual(lines[start + 1:start + 3], [".Fl \\-json ,", ".Fl \\-output ."])

    def test_statuses_are_told_where_they_are_not_the_usual_ones(self):
        lines = page("@COMMANDS")
        upload, trust, cookies = (lines.index(f".Ss Cm {name}") for name in ("upload", "trust", "cookies"))
        self.assertNotIn("Exit status:", lines[upload:trust])
        self.assertIn("The exit status is that of requests.", lines[upload:trust])
        self.assertIn("Exit status:", lines[trust:cookies])
        self.assertIn(".It Li 6", lines[trust:cookies])

    def test_the_parts_of_a_command_have_synopses_of_their_own(self):
        lines = page("@COMMANDS")
        start = lines.index(".Nm Cm cookies list")
        self.assertEqual(lines[start + 1:start + 3], [".Op Ar options", ".Ar file"])

    def test_no_text_becomes_a_request_of_roff(self):
        self.assertEqual(manual.escaped(".netrc"), "\\&.netrc")
        self.assertEqual(manual.escaped("a\\b --json"), "a\\eb \\-\\-json")

    def test_a_url_is_not_broken_by_a_hyphen(self):
        self.assertEqual(manual.escaped("or http://a.example/b here"), "or \\%http://a.example/b here")

    @unittest.skipUnless(shutil.which("mandoc"), "there is no mandoc")
    def test_mandoc_has_no_complaint(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bluebonnet.1"
            path.write_text("\n".join(page()) + "\n")
            done = subprocess.run(["mandoc", "-Tlint", "-Wstyle", path], capture_output=True, text=True)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
