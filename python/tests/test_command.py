"""The program is found, overrides are exact, and errors say what happened."""

import contextlib
import io
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import unittest

from common import NESTED, Test

import rangefinder
from rangefinder import command


def read_back(config):
    """The configuration that the program composes from these overrides."""
    words = [f"+{word}" for word in command.overrides(config)]
    return json.loads(command.call(
        ["config", "--format", "json", "--resolve", *words]))


class Overrides(Test):
    def test_a_value_arrives_as_it_is(self):
        values = {
            "none": None, "yes": True, "no": False, "zero": 0, "many": -12,
            "part": 0.1, "tiny": 1e-300, "text": "A;B", "empty": "",
            "number": "12", "null_text": "null", "list": ["a,b", 1, None, "]"],
            "tuple": ("x",), "nothing": [], "path": pathlib.Path("/a b/c=d"),
            "dict": {"x/y": "z: {", "w": [1]}}
        expected = {**values, "path": "/a b/c=d", "tuple": ["x"]}
        found = read_back({f"try.{key}": v for key, v in values.items()})["try"]
        self.assertEqual(found, expected)

    def test_a_hostile_text_stays_a_text(self):
        hostile = [
            "'", '"', "'\"", "\\", "\\\\", "\\'", "\\\"", "a\\", "a'\\", "${a}",
            "\\${a}", "\\\\${a}", "${oc.env:HOME}", "'${now:%Y}'", "$(id)",
            "`id`", "--gate", "-x", "~a", "a=b", "+a=b", "[a", "{a", "a b ",
            " a", "a\nb", "a\tb", "#x", "!", "choice(1,2)", "1,2", "???", "é☃",
            "\u202e", "null", "'''", "\\'\\\"${x}\\"]
        letters = "'\"\\$ {}[],:=()a1~+#\n"
        dice = random.Random(31)
        for _ in range(200):
            hostile.append("".join(dice.choices(letters, k=dice.randint(1, 9))))
        for start in range(0, len(hostile), 60):
            part = hostile[start:start + 60]
            found = read_back({f"try.k{at}": text for at, text in enumerate(part)})
            self.assertEqual([found["try"][f"k{at}"] for at in range(len(part))],
                             part)
        self.assertEqual(read_back({"try.list": hostile})["try"]["list"], hostile)

    def test_a_key_has_dots_underscores_or_a_dict(self):
        expected = ["regions.include=['A']"]
        self.assertEqual(command.overrides({"regions.include": ["A"]}), expected)
        self.assertEqual(command.overrides({"regions__include": ["A"]}), expected)
        self.assertEqual(command.overrides({"regions": {"include": ["A"]}}),
                         expected)
        self.assertEqual(
            command.overrides({"profiling/ncu@pipeline.ncu": "ncu.memory"}),
            ["profiling/ncu@pipeline.ncu='ncu.memory'"])
        self.assertEqual(command.overrides({"diff.gate.m.'dram__bytes.sum'": 1}),
                         ["diff.gate.m.'dram__bytes.sum'=1"])

    def test_a_key_cannot_be_an_option(self):
        for key in ("--output", "-o", "", "a=b", "a b", "a\n"):
            with self.assertRaises(ValueError, msg=key):
                command.overrides({key: 1})

    def test_a_value_without_a_syntax_is_refused(self):
        for value in (object(), b"x", {1, 2}, {"a b": 1}, "a\0b"):
            with self.assertRaises((TypeError, ValueError)):
                command.overrides({"x": value})


class Binary(Test):
    def copy_package(self):
        package = self.folder / "site" / "rangefinder"
        shutil.copytree(pathlib.Path(command.__file__).parent, package)
        return package

    def found(self, package, **environment):
        return subprocess.run(
            [sys.executable, "-c", "from rangefinder import command;"
             "print(command.find_binary())"], text=True, capture_output=True,
            env={"PYTHONPATH": str(package.parent), **environment})

    def test_wheel_then_variable_then_path(self):
        package = self.copy_package()
        (self.folder / "in_path").mkdir()
        in_path = self.program("#!/bin/sh\n", "in_path/rangefinder")
        named = self.program("#!/bin/sh\n", "named")
        path = f"{in_path.parent}:/usr/bin:/bin"
        self.assertEqual(self.found(package, PATH=path).stdout.strip(),
                         str(in_path))
        self.assertEqual(self.found(package, PATH=path, RANGEFINDER=str(named))
                         .stdout.strip(), str(named))
        (package / "bin").mkdir()
        own = shutil.copy(named, package / "bin" / "rangefinder")
        self.assertEqual(self.found(package, PATH=path, RANGEFINDER=str(named))
                         .stdout.strip(), str(own))

    def test_without_one_the_error_names_the_three_places(self):
        self.environment(RANGEFINDER=None, PATH=self.folder)
        with self.assertRaises(rangefinder.BinaryNotFound) as caught:
            rangefinder.load(NESTED)
        for place in ("wheel", "RANGEFINDER", "PATH"):
            self.assertIn(place, str(caught.exception))
        self.environment(RANGEFINDER="/nonexistent/rangefinder")
        with self.assertRaisesRegex(rangefinder.BinaryNotFound, "/nonexistent/"):
            rangefinder.load(NESTED)

    def test_a_program_that_is_no_program(self):
        self.environment(RANGEFINDER=self.program("\0\0"))
        with self.assertRaisesRegex(rangefinder.RangefinderError,
                                    "cannot be started"):
            rangefinder.load(NESTED)


class Errors(Test):
    def error(self, file):
        with self.assertRaises(rangefinder.RangefinderError) as caught:
            rangefinder.load(file)
        return caught.exception

    def test_a_foreign_or_truncated_file_is_named(self):
        foreign = self.folder / "foreign.ncu-rep"
        foreign.write_text("hello")
        cut = self.folder / "cut.ncu-rep"
        cut.write_bytes(NESTED.read_bytes()[:30000])
        text = command.call(["show", "--format", "json", str(NESTED)])
        document = self.folder / "report.json"
        document.write_bytes(text[:5000])
        for file in (foreign, cut, document):
            error = self.error(file)
            self.assertEqual(error.status, 5, file)
            self.assertIn(str(file), error.message)
            self.assertIn("not what it claims to be", str(error))
        document.write_bytes(text)
        self.assertEqual(len(rangefinder.load(document).regions), 15)

    def test_a_missing_file_is_no_option(self):
        for name in ("nope", "--help", "a=b", ""):
            with self.assertRaises(FileNotFoundError, msg=name):
                rangefinder.load(name)

    def test_a_file_that_looks_like_an_option_is_read(self):
        for name in ("--help.ncu-rep", "regions.max_rows=1.ncu-rep", "~x.ncu-rep"):
            shutil.copy(NESTED, self.folder / name)
            self.assertEqual(len(rangefinder.load(name).regions), 15, name)

    def test_a_wrong_key_is_said_in_the_programs_words(self):
        with self.assertRaises(rangefinder.RangefinderError) as caught:
            rangefinder.load(NESTED, **{"regions.inclde": []})
        self.assertEqual(caught.exception.status, 2)
        self.assertIn("regions.include", caught.exception.message)
        self.assertIn("regions.inclde=[]", caught.exception.command)

    def test_an_answer_that_is_no_report_names_the_file(self):
        answers = {
            "": "not whole JSON", '{"schema": "rangefinder.report/2"': "not whole",
            "[]": "not a document", '{"schema": "other/1"}': "other/1",
            "[" * 100000: "not whole JSON",
            '{"schema": "rangefinder.report/2"}': "unknown form",
            '{"schema": "rangefinder.report/2", "scopes": [{}]}': "unknown form",
            '{"schema": "rangefinder.report/2", "scopes": 3}': "unknown form"}
        for answer, reason in answers.items():
            (self.folder / "answer").write_text(answer)
            self.environment(RANGEFINDER=self.program(
                f"#!/bin/sh\ncat '{self.folder}/answer'\n"))
            with self.assertRaisesRegex(rangefinder.FormatError, reason) as caught:
                rangefinder.load(NESTED)
            self.assertIn(str(NESTED), str(caught.exception))

    def test_every_mutation_of_a_report_is_a_run_or_a_clear_error(self):
        text = command.call(["show", "--format", "json", str(NESTED),
                             "regions.include=[B]",
                             "report.format.metrics=requested"])
        dice = random.Random(31)
        outcomes = set()
        for _ in range(300):
            at = dice.randrange(len(text))
            mutant = text[:at] + bytes([dice.randrange(256)]) + text[
                at + dice.randrange(1, 9):]
            try:
                document = rangefinder.run.parsed(
                    mutant, rangefinder.run.SCHEMA, "file.json")
                rangefinder.Run(["file.json"], document)._repr_html_()
                outcomes.add("run")
            except rangefinder.FormatError as error:
                self.assertIn("file.json", str(error))
                outcomes.add("error")
        self.assertEqual(outcomes, {"run", "error"})

    def test_an_interrupt_reaches_the_program(self):
        # A shell lets its background ignore it.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(
            signal.SIGINT, signal.default_int_handler))
        self.environment(RANGEFINDER=self.program(
            "#!/bin/sh\ntrap 'echo kept > kept; exit 130' INT\n"
            "echo up\nwhile :; do sleep 0.05; done\n"))

        class Interrupt(io.StringIO):
            def write(self, text):
                os.kill(os.getpid(), signal.SIGINT)
                return len(text)
        with contextlib.redirect_stdout(Interrupt()), \
                self.assertRaises(KeyboardInterrupt):
            command.call(["profile"], echo=True)
        self.assertTrue(os.path.exists("kept"))


if __name__ == "__main__":
    unittest.main()
