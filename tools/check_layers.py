#!/usr/bin/env python3
"""Checks the includes of src/; prints each that breaks a rule.

A module is a folder of src/ with its subfolders. It includes only the modules
that src/LAYERS allows it or one of its files. The files of one module form no
circle: a header and the source of the same name are one node; tests do not count.
"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
source = root / "src"


def allowed_modules():
    allowed = {}
    for line in (source / "LAYERS").read_text().splitlines():
        line = line.split("#")[0]
        if ":" in line:
            module, modules = line.split(":", 1)
            allowed[module.strip()] = {module.strip(), *modules.split()}
    return allowed


def includes(path):
    """The line number and target of each quoted include that names a folder."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.match(r'\s*#include "([^"]+/[^"]+)"', line):
            yield number, match.group(1)


def circles(graph):
    """The strongly connected components of several nodes (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
            if other in low:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            first = stack.index(node)
            component = stack[first:]
            del stack[first:]
            for member in component:
                del low[member]
            if len(component) > 1:
                found.append(sorted(component))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


allowed = allowed_modules()  # by module, and by file for exceptions
broken = 0
graph = collections.defaultdict(set)
for path in sorted(source.glob("*/**/*")):
    if path.suffix not in (".h", ".cc"):
        continue
    relative = path.relative_to(source)
    module = relative.parts[0]
    is_test = path.stem.endswith("_test")
    node = str(relative.with_suffix(""))
    for number, target in includes(path):
        target_module = target.split("/")[0]
        if target_module == "tests" and is_test:
            continue
        of_file = allowed.get(str(relative), set())
        if target_module not in allowed.get(module, set()) | of_file:
            print(f"src/{relative}:{number}: {module} may not include {target_module}")
            broken += 1
        other = target.removesuffix(".h")
        if target_module == module and other != node and not is_test:
            graph[node].add(other)
            graph[other]

for circle in circles(graph):
    print(f"{circle[0].split('/')[0]}: these files include each other in a circle:")
    for node in circle:
        print(f"  {node} -> {', '.join(sorted(graph[node] & set(circle)))}")
    broken += 1
sys.exit(1 if broken else 0)
