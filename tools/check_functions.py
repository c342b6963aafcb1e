#!/usr/bin/env python3
"""Checks the lengths of functions and files in src/; prints each that is too
long, and each TRY inside an aggregate initialiser.

A table has no limit: an initialiser without a statement is not a function.
"""
import bisect
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
most_lines = {"function": 60, ".h": 300, ".cc": 800}
# Longer functions that are still to be shortened. Only remove lines here.
longer_functions = {"src/config/json_writer.cc": 63}
# A TRY as the value of a member inside braces.
left_early = re.compile(r"\n[ \t]+\.\w+ = TRY\(")

# Text in which braces and semicolons are not code.
quiet = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE)
attribute = re.compile(r"\[\[.*?\]\]|\balignas\([^()]*\)")
scope = re.compile(
    r"(?:template ?<.*> ?)?(?:inline |typedef )*"
    r"(?:namespace|class|struct|union|enum|extern ?$)\b(?!.*\))", re.DOTALL)


def blank(match):
    """Spaces of the same length, so that positions stay valid."""
    return re.sub(r"[^\n]", " ", match.group())


def blocks(code):
    """Every function and initialiser: its head, and the ends of head and body."""
    start = 0  # of the current statement
    opened = []
    for mark in re.finditer(r"[{};]", code):
        at = mark.start()
        if mark.group() == "{":
            opened.append((start, at))
        elif mark.group() == "}" and opened:
            begin, brace = opened.pop()
            head = code[begin:brace]
            yield begin + len(head) - len(head.lstrip()), head.strip(), brace, at
        start = at + 1


def long_functions(text):
    """The outermost blocks of code with too many lines: (line, head, lines)."""
    code = quiet.sub(blank, text)
    line_ends = [match.start() for match in re.finditer("\n", code)]
    found = []
    for begin, head, brace, end in blocks(code):
        first = bisect.bisect_left(line_ends, begin)
        lines = bisect.bisect_left(line_ends, end) - first + 1
        if lines <= most_lines["function"] or ";" not in code[brace:end]:
            continue
        if scope.match(attribute.sub("", head)):
            continue
        found = [block for block in found if block[0] < first]
        found.append((first, " ".join(head.split()) or "{", lines))
    return [(first + 1, head, lines) for first, head, lines in found]


broken = 0
for path in sorted((root / "src").rglob("*")):
    if path.suffix not in (".h", ".cc"):
        continue
    text = path.read_text()
    where = path.relative_to(root)
    is_test = path.stem.endswith("_test")
    lines = text.count("\n")
    if lines > most_lines[path.suffix] and not is_test:
        print(f"{where}: {lines} lines; the limit is {most_lines[path.suffix]}")
        broken += 1
    for match in left_early.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        print(f"{where}:{line}: TRY inside an aggregate initialiser: when it "
              "returns, GCC leaks the other members (GCC bug 66139)")
        broken += 1
    for line, head, lines in long_functions(text):
        if lines <= longer_functions.get(str(where), 0):
            continue
        print(f"{where}:{line}: {lines} lines; the limit is "
              f"{most_lines['function']}: {head[:60]}")
        broken += 1
sys.exit(1 if broken else 0)
