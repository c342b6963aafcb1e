"""The commands of the documentation: run with stand-ins in a folder of their
own, their output compared; inline ones taken apart and held to the program's
--help and to the composed configuration.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import doc_keys
from doc_pages import ROOT

# Why a block may be left alone, by the word after `not run:` or `not compared:`.
REASONS = {
    "needs a GPU",
    "depends on the machine",
    "needs a trace of a GPU",
}
SHELL_TAGS = {"bash", "console"}
OTHER_TAGS = {"", "yaml", "json", "cpp"}
MARKS = {"exit", "not run", "not compared", "output", "file", "needs tracer",
         "demo output"}

# ---- What stands for the reader's own ----------------------------------------

FIXTURES = {
    "nested_basic.ncu-rep": "tests/fixtures/nested_basic.ncu-rep",
    "some.ncu-rep": "tests/fixtures/nested_basic.ncu-rep",
    "a.ncu-rep": "tests/fixtures/nested_basic.ncu-rep",
    "tests": "tests",
}
PROGRAMS = ("my_program", "program", "app", "nested_regions", "shallow_resnet")
SCRIPTS = ("serve.py", "train.py")
# What inline commands that are run say for something that is there.
PLACEHOLDERS = {"PATH": "nested_basic.ncu-rep", "RUN_DIRECTORY": "RUN",
                "FORMAT": "json", "KEY": "device", "REGION": "A",
                "METRIC": "gpu__time_duration.sum"}
INLINE = {"config", "completion", "report", "show"}
# Launchers: their own options are left out, and the ranks run one by one.
LAUNCHER = """#!/usr/bin/env python3
import os, subprocess, sys
words, ranks = sys.argv[1:], 1
while words and words[0].startswith("-"):
    option = words.pop(0)
    if option in ("-n", "-np", "--nproc-per-node"):
        ranks = int(words.pop(0))
ours = any(word.endswith("rangefinder") for word in words[:1])
for rank in range(ranks):
    names = ("RANK", "WORLD_SIZE") if "torchrun" in sys.argv[0] else (
        "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
    status = subprocess.call(words, env={**os.environ, names[0]: str(rank),
                                         names[1]: str(ranks)})
    if status:
        sys.exit(status)
"""
# Commands that are looked at only: does the file exist, and can it be read?
FILES = {
    r"(scripts|tests|bench|examples)/\S+\.sh": lambda m: m[0],
    r"\.ci/run": lambda m: m[0],
    r"tools/\S+\.(py|sh)": lambda m: m[0],
    r"build/bench/(\w+)": lambda m: f"bench/{m[1]}.cc",
    r"build/fuzz/(\w+)": lambda m: f"tests/fuzz/{m[1]}.cc",
}


class Workplace:
    """A folder with all that the commands of a page name."""

    def __init__(self):
        self.rangefinder = pathlib.Path(os.environ.get(
            "RANGEFINDER", ROOT / "build/release/rangefinder")).resolve()
        if not self.rangefinder.exists():
            raise SystemExit(f"no {self.rangefinder}: build it, or name one by "
                             "RANGEFINDER; --links needs none")
        build = pathlib.Path(os.environ.get("RANGEFINDER_BUILD",
                                            self.rangefinder.parent))
        self.tracer = {
            "RANGEFINDER_INJECT_LIBRARY": build / "librangefinder_inject.so",
            "RANGEFINDER_CUPTI_PATH": build / "libinject_fake_cupti.so"}
        self.ranges = build / "inject_ranges"
        self.has_tracer = all(path.exists() for path in
                              (*self.tracer.values(), self.ranges))
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="rangefinder_docs."))
        self.bin = self.top / "bin"
        self.template = self.top / "template"
        self._environment()
        self._fill()

    def _environment(self):
        keep = ("LANG", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS")
        self.env = {name: os.environ[name] for name in keep if name in os.environ}
        self.env |= {"LC_ALL": "C.UTF-8", "HOME": str(self.top),
                     "PATH": f"{self.bin}:{os.environ['PATH']}",
                     "FAKE_NCU_FIXTURES": str(ROOT / "tests/fixtures")}
        self.env["RANGEFINDER_EXAMPLES"] = str(self.template)
        if self.has_tracer:
            self.env |= {name: str(path) for name, path in self.tracer.items()}

    def _fill(self):
        self.bin.mkdir()
        self.template.mkdir()
        for name, path in (("rangefinder", self.rangefinder),
                           ("ncu", ROOT / "tests/fake_ncu/ncu"),
                           ("nsys", ROOT / "tests/fake_nsys/nsys")):
            (self.bin / name).symlink_to(path)
        for name in ("torchrun", "mpirun"):
            self._program(self.bin / name, LAUNCHER)
        for name, path in FIXTURES.items():
            (self.template / name).symlink_to(ROOT / path)
        does = f'exec "{self.ranges}" nested 1' if self.has_tracer else "exit 0"
        for name in PROGRAMS:
            self._program(self.template / name, f"#!/bin/sh\n{does}\n")
        for name in SCRIPTS:
            (self.template / name).write_text(
                "import subprocess\nsubprocess.call(['./app'])\n")
        (self.template / "FOLDER").mkdir()
        self.must("touch report.nsys-rep && nsys export --type=sqlite "
                  "--output=b.sqlite report.nsys-rep && cp b.sqlite run.sqlite")
        # The run directory and a trace that readers are told to look at.
        self.must("rangefinder profile hydra.run.dir=RUN "
                  "pipeline.ncu.enable=true -- ./app")

    def _program(self, path, text):
        path.write_text(text)
        path.chmod(0o755)

    def must(self, command):
        status, output = self.run(self.template, command)
        if status:
            raise SystemExit(f"preparing the commands of the pages: status "
                             f"{status} of: {command}\n{output}")

    def run(self, folder, command):
        """Exit status and output, with nothing of the folder's own name."""
        try:
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=self.env, timeout=60,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return "none after 60 s", ""
        output = done.stdout.decode("utf-8", "replace")
        return done.returncode, output.replace(str(folder) + "/", "")

    def fresh(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.top))
        folder.rmdir()
        shutil.copytree(self.template, folder, symlinks=True)
        return folder


# ---- Taking blocks apart ------------------------------------------------------

def commands_of(block):
    """[(command, expected output or None)]; a backslash goes on."""
    commands, output = [], None
    lines = iter(block.lines)
    for line in lines:
        prompt = block.tag == "console" and line.startswith("$ ")
        if block.tag == "console" and not prompt:
            if not commands:
                raise ValueError("a console block begins with $")
            commands[-1][1].append(line)
            continue
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        command = line[2:] if prompt else line
        while command.endswith("\\"):
            command = command[:-1] + next(lines).lstrip()
        commands.append((command, [] if prompt else None))
    return commands


def matches(expected, output):
    """Whether it is what is printed; `…` stands for anything."""
    expected = "\n".join(line.rstrip() for line in expected).strip("\n")
    output = "\n".join(line.rstrip() for line in output.split("\n")).strip("\n")
    form = ".*?".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(form, output, re.S) is not None


def split(command):
    """Words, without the variables before them, comments and redirections."""
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
        self.keys = doc_keys.Keys(self.place)
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
        if "output" in marks:
            self.output(page, block, folder)
        elif block.tag in SHELL_TAGS:
            self.shell(page, block, folder)
        elif any(re.match(r"(\$ |rangefinder )", line) for line in block.lines):
            if not page.is_log:
                self.findings.error(page.name, block.line, "commands in a block "
                                    "that is tagged neither bash nor console")

    def output(self, page, block, folder):
        command = block.marks["output"]
        if not command:
            command = commands_of(block.before)[-1][0]
        _, output = self.place.run(folder, command)
        self.findings.count("outputs compared")
        if not matches(block.lines, output):
            self.differs(page, block.line, block.line + len(block.lines) - 1,
                         command, output)

    def shell(self, page, block, folder):
        for command, expected in commands_of(block):
            self.one(page, block, folder, command, expected)

    def one(self, page, block, folder, command, expected):
        line = block.line + next(
            (at for at, text in enumerate(block.lines)
             if command.split("  ")[0][:30] in text), 0)
        words = split(command)
        problem = self.keys.words(words) if "rangefinder" in words[:8] else ""
        if problem:
            self.findings.error(page.name, line, problem)
        if words[0] not in ("rangefinder", "torchrun", "mpirun"):
            self.findings.count("commands looked at")
            problem = look_at(words)
            if problem:
                self.findings.error(page.name, line, problem)
            return
        if "not run" in block.marks:
            self.findings.count("commands not run")
            return
        needs_tracer = "discover" in words or "needs tracer" in block.marks
        if needs_tracer and not self.place.has_tracer:
            self.findings.count("commands left out")
            self.left.append(f"{page.name}:{line}: not run: no tracer in "
                             "this build")
            return
        status, output = self.place.run(folder, command)
        self.findings.count("commands run")
        wanted = block.marks.get("exit", "0")
        if wanted != "any" and str(status) != wanted:
            self.findings.error(page.name, line, f"status {status}, not "
                                f"{wanted}: {command}\n{output}")
        elif expected is not None and "not compared" not in block.marks:
            self.findings.count("outputs compared")
            if not matches(expected, output):
                first = line + command_lines(block, line)
                self.differs(page, first, first + len(expected) - 1, command,
                             output)

    def differs(self, page, first, last, command, output):
        lines = [text.rstrip() for text in output.strip("\n").split("\n")]
        if self.update:
            self.changes.append((page, first, last, lines))
            return
        shown = "\n".join("    " + text for text in lines)
        self.findings.error(page.name, first, "not what is printed (--update "
                            f"writes it) by: {command}\n{shown}")

    def write(self):
        for page, first, last, lines in sorted(
                self.changes, key=lambda change: -change[1]):
            page.lines[first - 1:last] = lines
            page.path.write_text("\n".join(page.lines), encoding="utf-8")
            print(f"docs: {page.name}:{first}: written anew")


def command_lines(block, line):
    """How many lines the command at `line` of the page takes."""
    at = line - block.line
    while block.lines[at].endswith("\\"):
        at += 1
    return at - (line - block.line) + 1


def look_at(words):
    """What is wrong with a command that is not run; nothing where it can be."""
    presets = (ROOT / "CMakePresets.json").read_text()
    if words[0] in ("cmake", "ctest"):
        for option in ("--preset", "--build --preset"):
            for at, word in enumerate(words[:-1]):
                if word == "--preset" and f'"{words[at + 1]}"' not in presets:
                    return f"no preset {words[at + 1]}"
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
        checker.keys.tables(
            next(page for page in pages if page.path.name == "configuration.md"),
            findings)
    finally:
        shutil.rmtree(checker.place.top, ignore_errors=True)
    checker.write()
    for text in checker.left:
        print(f"docs: {text}")
