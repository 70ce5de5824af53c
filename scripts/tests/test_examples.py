import unittest

import examples


class Output(unittest.TestCase):
    def test_the_expected_text_has_no_differences(self):
        self.assertEqual(examples.differences("one\ntwo\n", "one\ntwo\n"), [])

    def test_an_ellipsis_is_any_text_within_a_line_also_none(self):
        for line in ["in 3 ms", "in  ms", "in … ms"]:
            self.assertEqual(examples.differences(f"{line}\nend\n", "in … ms\nend\n"), [])
        self.assertNotEqual(examples.differences("in 3\n4 ms\n", "in … ms\n"), [])

    def test_all_else_is_literal(self):
        self.assertNotEqual(examples.differences("aXb\n", "a.b\n"), [])
        self.assertNotEqual(examples.differences("in 3 ms, and more\n", "in … ms\n"), [])

    def test_lines_that_are_missing_or_too_many_are_differences(self):
        self.assertIn("-two", examples.differences("one\n", "one\ntwo\n"))
        self.assertIn("+two", examples.differences("one\ntwo\n", "one\n"))
        self.assertIn("-one", examples.differences("", "one\n"))

    def test_only_the_lines_that_differ_are_shown_as_such(self):
        shown = examples.differences("in 3 ms\nthree\n", "in … ms\ntwo\n")
        self.assertEqual(shown[3:], [" in … ms", "-two", "+three"])


class Runs(unittest.TestCase):
    def test_an_example_gets_the_arguments_of_its_file(self):
        self.assertEqual(examples.arguments_of("Gallery")[0], "--automatic")
        self.assertEqual(examples.arguments_of("Chat"), [])

    def test_examples_with_traits_come_last(self):
        self.assertEqual(sorted(["Gallery", "Chat", "Login"], key=examples.has_traits), ["Chat", "Login", "Gallery"])

    def test_only_an_example_with_gtk_gets_a_display(self):
        self.assertTrue(examples.has_windows("Gallery"))
        self.assertFalse(examples.has_windows("Chat"))
