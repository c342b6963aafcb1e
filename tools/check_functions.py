#!/usr/bin/env python3
"""No function of src/ is longer than a screen, no file than its idea, and none
leaves an aggregate half made; prints each that is.

A table of rows may be as long as it has rows: what holds no statement is data.
"""
import bisect
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
most_lines = {"function": 60, ".h": 200, ".cc": 500}
# Being rewritten: how long their longest function still is. Nothing is added.
longer_yet = {
    "src/config/json_writer.cc": 63,
    "src/config/yaml_scalars.cc": 70,
    "src/config/yaml_scanner.cc": 71,
}

# A member in braces behind others.
left_early = re.compile(r"\n[ \t]+\.\w+ = TRY\(")

# What braces and semicolons may stand in without being code.
quiet = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE)
attribute = re.compile(r"\[\[.*?\]\]|\balignas\([^()]*\)")
scope = re.compile(
    r"(?:template ?<.*> ?)?(?:inline |typedef )*"
    r"(?:namespace|class|struct|union|enum|extern ?$)\b(?!.*\))", re.DOTALL)


def blank(match):
    """Spaces instead, so that places stay what they are."""
    return re.sub(r"[^\n]", " ", match.group())


def blocks(code):
    """Every function and initializer: its head and the ends of both."""
    start = 0  # of the statement that is being read
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
        print(f"{where}: {lines} lines, of {most_lines[path.suffix]} at most")
        broken += 1
    for match in left_early.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        print(f"{where}:{line}: TRY among the members of an aggregate, of which "
              "GCC destroys none where it returns (its bug 66139)")
        broken += 1
    for line, head, lines in long_functions(text):
        if lines <= longer_yet.get(str(where), 0):
            continue
        print(f"{where}:{line}: {lines} lines, of {most_lines['function']} at"
              f" most: {head[:60]}")
        broken += 1
sys.exit(1 if broken else 0)
