#!/usr/bin/env python3
"""No two types of one namespace share a name; prints each that does.

All modules share one namespace and are linked into one program. A second type
of the same name compiles, and the linker then uses the functions of one type
for both.
"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
# Types begin in the first column, and namespaces end with the comment that
# clang-format writes.
opening = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{")
definition = re.compile(
    r"(?:struct|class|union|enum(?: class)?) (?:\[\[\w+\]\] )?([\w:]*\w)[^;()]*\{")

places = collections.defaultdict(list)
for folder in ("src", "tests"):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in (".h", ".cc") or "programs" in path.parts:
            continue
        namespaces = []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := opening.match(line):
                namespaces.append(match.group(1) or "<unnamed>")
            elif line.startswith("}  // namespace"):
                namespaces.pop()
            elif match := definition.match(line):
                if "<unnamed>" not in namespaces:
                    name = "::".join([*namespaces, match.group(1)])
                    places[name].append(f"{path.relative_to(root)}:{number}")

twice = {name: where for name, where in places.items() if len(where) > 1}
for name, where in twice.items():
    print(f"{name} is defined more than once: {', '.join(where)}")
print(f"{len(places)} types")
sys.exit(1 if twice else 0)
