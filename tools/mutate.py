#!/usr/bin/env python3
"""Changes a module's sources in one place at a time, and names the test that fails.

    tools/mutate.py region --seed 1 --count 50
    tools/mutate.py rollup --only finish.cc:87 --then captures_tests report_tests
    tools/mutate.py region --list

A change without a failing test keeps the behaviour, or shows a gap in the tests.
The changed file is compiled in its own folder of the build tree and linked before
the module's library, so that it replaces the library's object; sources and library
stay unchanged. The seed draws the places: the same sources, seed and count give the
same changes.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys
import threading
import time

root = pathlib.Path(__file__).resolve().parent.parent
# A changed program may allocate without limit.
kMostMemory = 4 << 30

Place = collections.namedtuple("Place", "path text line column begin end new")

# ---- Places ------------------------------------------------------------------

# Text without meaning for the compiler, or that must not change.
opaque = re.compile(
    r"""//[^\n]* | /\*.*?\*/                              # comments
      | R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)" | "(?:\\.|[^"\\\n])*"
      | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'
      | ^[ \t]*\#(?:\\\n|[^\n])*                          # directives
      | \b(?:static_)?assert\((?:[^()]|\([^()]*\))*\)
      | ^using\b[^;]*; | ^template\b[^\n]*""",
    re.X | re.S | re.M)

# Binary operators have a blank on both sides, as clang-format writes them, which
# brackets of templates, pointers and signs have not.
swaps = {
    "==": "!=", "!=": "==", "<": "<= >=", "<=": "< >", ">": ">= <=",
    ">=": "> <", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/",
    "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=",
    "&=": "|=", "<<": ">>", ">>": "<<", "^": "|",
}
binary = re.compile(
    r"(?<=\s)(" + "|".join(map(re.escape, sorted(swaps, key=len, reverse=True)))
    + r")(?=\s)")
words = {
    "true": "false", "false": "true", "min": "max", "max": "min",
    "front": "back", "back": "front", "begin": "end", "any_of": "all_of",
    "all_of": "any_of", "starts_with": "ends_with", "ends_with": "starts_with",
    "first": "last", "last": "first", "prefix": "suffix",
}
called = re.compile(r"\b(true|false)\b"
                    r"|(?<=::)(min|max|any_of|all_of)(?=\()"
                    r"|(?<=[.>])(front|back|starts_with|ends_with)(?=\()"
                    r"|(?<=\.)(first|last)(?=\()")
number = re.compile(r"(?<![\w.])(\d+)(\.\d+)?(?:[uU]?[lL]*)(?![\w.])")
negation = re.compile(r"(?<![\w)\]])!(?=[\w(*])")
condition = re.compile(r"\b(?:if|while) \(")
jump = re.compile(r"\b(?:continue|break);")
returned = re.compile(r"\breturn ([^;{}]+);")
choice = re.compile(r"(?<=\s)\?(?=\s)")
# A call or an assignment that begins a statement; a declaration has two words.
statement = re.compile(
    r"(?<=[;{})\n])\s*((?:\+\+|--|\*)?[A-Za-z_][\w:]*"
    r"(?:(?:\.|->)\w+|\[[^\[\]]*\]|\((?:[^()]|\([^()]*\))*\))*"
    r"(?:\s(?:[-+*/|&]?=)\s[^;{}]*|(?<=\)))?);")


def closing(text, at):
    """Where the bracket at `at` closes."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i
    return len(text)


def choice_ends(text, at):
    """Of `? a : b`: where the colon stands, and where b ends; or nothing."""
    depth, colon = 0, None
    for i in range(at + 1, len(text)):
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}" or (c in ",;" and depth == 0):
            if depth == 0:
                return (colon, i) if colon else None
            depth -= 1
        elif depth == 0 and c == "?":
            return None
        elif depth == 0 and c == ":" and text[i - 1].isspace():
            colon = colon or i
    return None


def changes(text, blank):
    """(begin, end, new) of every place; `blank` is the text without comments."""
    for m in binary.finditer(blank):
        for new in swaps[m[1]].split():
            yield m.start(1), m.end(1), new
    for m in called.finditer(blank):
        yield m.start(), m.end(), words[m[0]]
    for m in number.finditer(blank):
        yield m.start(1), m.end(1), str(int(m[1]) + 1)
        if int(m[1]) > 0:
            yield m.start(1), m.end(1), str(int(m[1]) - 1)
    for m in negation.finditer(blank):
        yield m.start(), m.end(), ""
    for m in condition.finditer(blank):
        begin, end = m.end(), closing(blank, m.end() - 1)
        inner = blank[begin:end]
        if ";" in inner:
            begin += inner.rindex(";") + 1
        elif re.search(r"\w[*&]* \w+ = ", inner):
            continue  # it declares what it asks for
        yield begin, end, f"!({text[begin:end].strip()})"
    for m in jump.finditer(blank):
        yield m.start(), m.end(), ";"
    for m in returned.finditer(blank):
        if m[1].strip() not in ("{}", "true", "false", "std::nullopt"):
            yield m.start(1), m.end(1), "{}"
    for m in statement.finditer(blank):
        if m[1] not in ("break", "continue") and m[1].split()[0] != "return":
            yield m.start(1), m.end(1), ""
    for m in choice.finditer(blank):
        if ends := choice_ends(blank, m.start()):
            colon, end = ends
            first = text[m.end():colon].strip()
            yield m.end(), end, f" {text[colon + 1:end].strip()} : {first}"


def places(path):
    text = path.read_text()
    blank = opaque.sub(lambda m: re.sub(r"[^\n]", "_", m[0]), text)
    found = sorted(set(changes(text, blank)))
    return [Place(path, text, text.count("\n", 0, begin) + 1,
                  begin - text.rfind("\n", 0, begin), begin, end, new)
            for begin, end, new in found]


def shown(place):
    old = " ".join(place.text[place.begin:place.end].split())
    new = " ".join(place.new.split())
    line = place.text.splitlines()[place.line - 1].strip()
    return (f"{place.path.relative_to(root)}:{place.line}:{place.column} "
            f"`{old}` -> `{new}`  in  {line}")

# ---- One change --------------------------------------------------------------


class Workshop:
    """A build tree, and the test programs."""

    def __init__(self, build, module, programs):
        self.build = build
        self.scratch = build / "mutants" / module
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.programs = programs
        subprocess.run(["ninja", "-C", build, *programs], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        commands = json.loads((build / "compile_commands.json").read_text())
        self.compile = {c["file"]: shlex.split(c["command"]) for c in commands}
        self.link = {p: self.link_command(p) for p in programs}
        self.newest_header = max(
            header.stat().st_mtime for header in root.glob("src/**/*.h"))
        self.lock = threading.Lock()
        self.seconds = {}
        for program in programs:
            begin = time.monotonic()
            verdict = self.test(build / program, 600)
            if verdict:
                sys.exit(f"{program} fails before any change: {verdict}")
            self.seconds[program] = time.monotonic() - begin

    def link_command(self, program):
        text = subprocess.run(
            ["ninja", "-C", self.build, "-t", "commands", "-s", program],
            check=True, capture_output=True, text=True).stdout.strip()
        text = text.splitlines()[-1].removeprefix(": && ").removesuffix(" && :")
        return shlex.split(text.split(" && ")[0])

    def compile_command(self, path, source, to, *more):
        command = list(self.compile[str(path)])
        if pathlib.Path(command[0]).name == "ccache":
            del command[0]
        command[command.index(str(path))] = str(source)
        command[command.index("-o") + 1] = str(to)
        command[1:1] = more
        return command + ["-O0", "-g0", "-w", "-D_GLIBCXX_ASSERTIONS"]

    def headers_of(self, place):
        """The file's includes, compiled once: they take most of the time."""
        made = self.scratch / place.path.stem / "headers.h"
        compiled = pathlib.Path(f"{made}.gch")
        text = "".join(line + "\n" for line in place.text.splitlines()
                       if line.startswith("#include"))
        with self.lock:
            if (not compiled.exists() or made.read_text() != text or
                    compiled.stat().st_mtime < self.newest_header):
                made.parent.mkdir(parents=True, exist_ok=True)
                made.write_text(text)
                subprocess.run(
                    self.compile_command(place.path, made, compiled,
                                         "-x", "c++-header"),
                    cwd=self.build, check=True)
        return made

    def test(self, program, limit):
        """The first failing test, or nothing."""
        try:
            done = subprocess.run(
                [program, "--gtest_fail_fast", "--gtest_brief=1"],
                capture_output=True, text=True, errors="replace",
                timeout=limit, cwd=self.scratch,
                env={**os.environ, "LC_ALL": "C"}, preexec_fn=limited)
        except subprocess.TimeoutExpired:
            return "timeout"
        if done.returncode == 0:
            return None
        failed = re.search(r"\[  FAILED  \] ([\w./]+)", done.stdout)
        return (failed[1] if failed else f"status {done.returncode}: " +
                (done.stderr.strip().splitlines() or ["no word"])[-1][-100:])

    def try_out(self, place, number):
        """The outcome of one change: (word, test)."""
        folder = self.scratch / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / place.path.name
        source.write_text(place.text[:place.begin] + place.new +
                          place.text[place.end:])
        changed = folder / "changed.o"
        command = self.compile_command(place.path, source, changed, "-include",
                                       str(self.headers_of(place)))
        built = subprocess.run(command, cwd=self.build, capture_output=True)
        if built.returncode:
            return "does not compile", ""
        for program in self.programs:
            command = list(self.link[program])
            at = command.index("-o") + 1
            command[at] = str(folder / program)
            command.insert(at + 1, str(changed))
            linked = subprocess.run(command, cwd=self.build,
                                    capture_output=True, text=True)
            if linked.returncode:
                return "does not link", linked.stderr[-200:]
            verdict = self.test(folder / program,
                                10 + 10 * self.seconds[program])
            (folder / program).unlink()
            if verdict == "timeout":
                return "timeout", program
            if verdict:
                return "killed", verdict
        return "SURVIVED", ""


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (kMostMemory, kMostMemory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

# ---- The whole ---------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", help="a folder of src/")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50,
                        help="number of changes that compile and are tested")
    parser.add_argument("--only", nargs="+", default=[], metavar="FILE:LINE",
                        help="every change of these lines, none drawn")
    parser.add_argument("--then", nargs="+", default=[], metavar="PROGRAM",
                        help="further test programs if the module's own tests pass")
    parser.add_argument("--build", type=pathlib.Path,
                        default=root / "build/release")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true",
                        help="print the places only")
    asked = parser.parse_args()

    drawn = []
    for path in sorted((root / "src" / asked.module).rglob("*.cc")):
        if not path.stem.endswith(("_test", "_bench")):
            drawn += places(path)
    if asked.only:
        drawn = [p for p in drawn if any(
            only in (p.path.name, f"{p.path.name}:{p.line}",
                     f"{p.path.name}:{p.line}:{p.column}")
            for only in asked.only)]
    else:
        random.Random(asked.seed).shuffle(drawn)
    if asked.list:
        for place in drawn:
            print(shown(place))
        print(f"{len(drawn)} places")
        return

    workshop = Workshop(asked.build.resolve(), asked.module,
                        [f"{asked.module}_tests", *asked.then])
    tally = collections.Counter()
    wanted = len(drawn) if asked.only else asked.count
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        at = 0
        # A change that does not compile is replaced by another.
        while at < len(drawn) and (
                missing := wanted - sum(tally.values()) + tally["invalid"]) > 0:
            batch = drawn[at:at + missing]
            verdicts = pool.map(workshop.try_out, batch,
                                range(at, at + len(batch)))
            for place, (word, by) in zip(batch, verdicts):
                tally["invalid" if word.startswith("does") else word] += 1
                print(f"{word + (' by ' + by if by else '')}: {shown(place)}",
                      flush=True)
            at += len(batch)
    tried = sum(tally.values()) - tally["invalid"]
    print(f"{asked.module}: seed {asked.seed}, {tried} changes tried: "
          f"{tally['killed']} killed, {tally['timeout']} never ended, "
          f"{tally['SURVIVED']} survived; {tally['invalid']} did not compile")


if __name__ == "__main__":
    main()
