"""The commands of the documentation: run with stand-ins in a folder of their
own, and their output compared.
"""
import dataclasses
import re
import shlex
import shutil
import subprocess

from docs import tables
from docs.keys import Keys
from docs.pages import ROOT
from docs.workplace import Workplace

# Why a block may be left alone, by the word after `not run:` or `not compared:`.
REASONS = {
    "needs a GPU",
    "depends on the machine",
}
SHELL_TAGS = {"bash", "console"}
OTHER_TAGS = {"text", "python", "", "yaml", "json", "cpp", "sql"}
MARKS = {"exit", "not run", "not compared", "output", "rows", "file",
         "demo output"}

# The placeholders of inline commands, and existing things to run them with.
PLACEHOLDERS = {"PATH": "nested_basic.ncu-rep", "RUN_DIRECTORY": "RUN",
                "FORMAT": "json", "KEY": "device", "REGION": "A",
                "METRIC": "gpu__time_duration.sum"}
INLINE = {"config", "completion", "report", "show"}
# Commands that are looked at only: does the file exist, and can it be read?
FILES = {
    r"(scripts|tests|bench|examples)/\S+\.sh": lambda m: m[0],
    r"\.ci/run": lambda m: m[0],
    r"(tools|examples)/\S+\.(py|sh)": lambda m: m[0],
    r"build/bench/(\w+)": lambda m: f"bench/{m[1]}.cc",
    r"build/fuzz/(\w+)": lambda m: f"tests/fuzz/{m[1]}.cc",
}


# ---- Taking blocks apart ------------------------------------------------------

@dataclasses.dataclass
class Command:
    text: str
    line: int  # on the page, as the next
    output_line: int
    output: list  # what it should print; None: not said


def commands_of(block):
    """A command a line; a backslash goes on."""
    commands, goes_on = [], False
    for line, text in enumerate(block.lines, block.line):
        if goes_on:
            commands[-1].text += text.rstrip("\\").lstrip()
            commands[-1].output_line = line + 1
        elif block.tag != "console":
            if text.strip() and not text.lstrip().startswith("#"):
                commands.append(Command(text.rstrip("\\"), line, line + 1, None))
        elif text.startswith("$ "):
            commands.append(Command(text[2:].rstrip("\\"), line, line + 1, []))
        elif commands:
            commands[-1].output.append(text)
        else:
            raise SystemExit(f"line {line}: a console block begins with $")
        goes_on = text.endswith("\\") and (goes_on or block.tag != "console" or
                                           text.startswith("$ "))
    return commands


def matches(expected, output):
    """Whether it is what is printed; `…` stands for anything."""
    expected = "\n".join(line.rstrip() for line in expected).strip("\n")
    output = "\n".join(line.rstrip() for line in output.split("\n")).strip("\n")
    form = ".*?".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(form, output, re.S) is not None


def split(command):
    """Words, without comments and the variables before them."""
    words = shlex.split(command, comments=True)
    while words and re.fullmatch(r"[A-Z_0-9]+=.*", words[0]):
        words.pop(0)
    return words


# ---- Checking -----------------------------------------------------------------

class Checker:
    def __init__(self, findings, update):
        self.findings = findings
        self.update = update
        self.place = Workplace()
        self.keys = Keys(self.place)
        self.changes = []  # (page, first line, last line, new lines)
        self.left = []

    def page(self, page):
        folder = None
        for block in page.blocks:
            for mark in set(block.marks) - MARKS:
                self.findings.error(page.name, block.line,
                                    f"an unknown mark: {mark}")
            if block.tag not in SHELL_TAGS | OTHER_TAGS:
                self.findings.error(page.name, block.line,
                                    f"a block of an unknown kind: {block.tag}")
            if folder is None and (block.tag in SHELL_TAGS or
                                   {"output", "file"} & set(block.marks)):
                folder = self.place.fresh()
            self.block(page, block, folder)
        for line, span in page.spans():
            self.keys.span(page, line, span, self.findings)
            if span.startswith("rangefinder ") and "…" not in span:
                folder = folder or self.place.fresh()
                self.inline(page, line, span.split()[1:], folder)
        if folder:
            shutil.rmtree(folder, ignore_errors=True)

    def inline(self, page, line, words, folder):
        """Runs one that is whole, and changes no file but the folder's."""
        if words[0] not in INLINE or (len(words) == 1 and words[0] != "config"):
            return
        words = [PLACEHOLDERS.get(word, word) for word in words]
        command = "rangefinder " + " ".join(words)
        status, output = self.place.run(folder, command)
        self.findings.count("inline commands run")
        if status:
            self.findings.error(page.name, line,
                                f"status {status}: {command}\n{output}")

    def block(self, page, block, folder):
        marks = block.marks
        if "file" in marks:
            path = folder / marks["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(block.lines) + "\n")
        for mark in ("not run", "not compared"):
            if mark in marks:
                if marks[mark] not in REASONS:
                    self.findings.error(page.name, block.line,
                                        f"{mark}: {marks[mark]}: no such reason")
                self.left.append(f"{page.name}:{block.line}: {mark}: "
                                 f"{marks[mark]}")
        if "rows" in marks:
            self.rows(page, block, folder)
        elif "output" in marks:
            self.output(page, block, folder)
        elif block.tag in SHELL_TAGS:
            for command in commands_of(block):
                self.command(page, block, folder, command)
        elif any(re.match(r"(\$ |rangefinder )", line) for line in block.lines):
            if not page.is_log:
                self.findings.error(page.name, block.line, "commands in a block "
                                    "that is tagged neither bash nor console")

    def rows(self, page, block, folder):
        """What the SQL before it asks of the database that is named, else of
        run.sqlite."""
        question = "\n".join(block.before.lines)
        self.findings.count("SQL run")
        try:
            output = tables.answer(folder / (block.marks["rows"] or "run.sqlite"),
                                   question)
        except ValueError as error:
            self.findings.error(page.name, block.line, str(error))
            return
        if not matches(block.lines, output):
            self.differs(page, block.line, block.lines, question, output)

    def output(self, page, block, folder):
        command = (block.marks["output"] or
                   commands_of(block.before)[-1].text)
        _, output = self.place.run(folder, command)
        self.findings.count("outputs compared")
        if not matches(block.lines, output):
            self.differs(page, block.line, block.lines, command, output)

    def command(self, page, block, folder, command):
        words = split(command.text)
        if "rangefinder" in words and "exit" not in block.marks:
            problem = self.keys.words(words)
            if problem:
                self.findings.error(page.name, command.line, problem)
        if words[0] not in ("rangefinder", "torchrun", "mpirun"):
            self.findings.count("commands looked at")
            problem = look_at(words)
            if problem:
                self.findings.error(page.name, command.line, problem)
            return
        if "not run" in block.marks:
            self.findings.count("commands not run")
            return
        status, output = self.place.run(folder, command.text)
        self.findings.count("commands run")
        wanted = block.marks.get("exit", "0")
        if wanted != "any" and str(status) != wanted:
            self.findings.error(page.name, command.line, f"status {status}, not "
                                f"{wanted}: {command.text}\n{output}")
        elif command.output is not None and "not compared" not in block.marks:
            self.findings.count("outputs compared")
            if not matches(command.output, output):
                self.differs(page, command.output_line, command.output,
                             command.text, output)

    def differs(self, page, first, expected, command, output):
        lines = [text.rstrip() for text in output.strip("\n").split("\n")]
        if self.update:
            self.changes.append((page, first, len(expected), lines))
            return
        shown = "\n".join("    " + text for text in lines)
        self.findings.error(page.name, first, "not what is printed (--update "
                            f"writes it) by: {command}\n{shown}")

    def write(self):
        for page, first, count, lines in sorted(
                self.changes, key=lambda change: -change[1]):
            page.lines[first - 1:first - 1 + count] = lines
            page.path.write_text("\n".join(page.lines), encoding="utf-8")
            print(f"docs: {page.name}:{first}: written anew")


def look_at(words):
    """What is wrong with a command that is not run; nothing where it can be."""
    if words[0] in ("cmake", "ctest"):
        presets = (ROOT / "CMakePresets.json").read_text()
        for before, word in zip(words, words[1:]):
            if before == "--preset" and f'"{word}"' not in presets:
                return f"no preset {word}"
        return ""
    for form, path_of in FILES.items():
        found = re.fullmatch(form, words[0])
        if not found:
            continue
        path = ROOT / path_of(found)
        if not path.exists():
            return f"no {path.relative_to(ROOT)}"
        if path.suffix == ".sh" or path.name == "run":
            if subprocess.call(["bash", "-n", str(path)]):
                return f"{words[0]} is no script that bash can read"
        return ""
    return f"a command that nobody knows: {words[0]}"


def check(pages, findings, update):
    checker = Checker(findings, update)
    try:
        for page in pages:
            if not page.is_log:
                checker.page(page)
        for page in pages:
            if page.path.name == "configuration.md":
                checker.keys.tables(page, findings)
    finally:
        shutil.rmtree(checker.place.top, ignore_errors=True)
    checker.write()
    for text in checker.left:
        print(f"docs: {text}")
