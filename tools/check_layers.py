#!/usr/bin/env python3
"""Holds the includes of src/ to src/LAYERS; prints each that breaks it."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
allowed = {}
for line in (root / "src/LAYERS").read_text().splitlines():
    line = line.split("#")[0]
    if ":" in line:
        room, rooms = line.split(":", 1)
        allowed[room.strip()] = {room.strip(), *rooms.split()}

broken = 0
for path in sorted((root / "src").glob("*/*")):
    if path.suffix not in (".h", ".cc"):
        continue
    room = path.parent.name
    is_test = path.stem.endswith("_test")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#include "([^/"]+)/', line)
        if not match:
            continue
        target = match.group(1)
        if target == "tests" and is_test:
            continue
        if target not in allowed.get(room, set()):
            print(f"{path.relative_to(root)}:{number}: {room} may not include {target}")
            broken += 1
sys.exit(1 if broken else 0)
