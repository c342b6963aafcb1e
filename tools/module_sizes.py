#!/usr/bin/env python3
"""The lines of each module of src/, without tests, in docs/architecture.md.

    tools/module_sizes.py             prints them
    tools/module_sizes.py --update    writes them into the page's table of modules

tools/check_docs.py fails when the page is more than 5 % (and 100 lines) wrong.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/architecture.md"
# `| `name` | lines | …`
ROW = re.compile(r"(\| `(\w+)` \| *)(\d+)(?= *\|)")
TOTAL = re.compile(r"(\| all \| *)(\d+)(?= *\|)")


def sizes():
    """{module: lines}, with main.cc as a part of `app`."""
    lines = {}
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".h", ".cc") or path.stem.endswith("_test"):
            continue
        parts = path.relative_to(ROOT / "src").parts
        module = parts[0] if len(parts) > 1 else "app"
        lines[module] = lines.get(module, 0) + path.read_text().count("\n")
    return lines


def wrong_rows(text):
    """What is wrong in the page's table, a sentence each."""
    real = sizes()
    shown = {name: int(lines) for _, name, lines in ROW.findall(text)}
    for module in sorted(real.keys() - shown.keys()):
        yield f"the table of modules lacks {module}"
    for module in sorted(shown.keys() - real.keys()):
        yield f"the table of modules has {module}, which is not in src/"
    for module in sorted(real.keys() & shown.keys()):
        if abs(real[module] - shown[module]) > max(100, real[module] * 0.05):
            yield (f"{module} has {real[module]} lines, not {shown[module]}: run "
                   "tools/module_sizes.py --update")


def updated(text):
    real = sizes()
    text = ROW.sub(lambda row: row[1] + str(real.get(row[2], row[3])), text)
    return TOTAL.sub(lambda row: row[1] + str(sum(real.values())), text)


if __name__ == "__main__":
    if "--update" in sys.argv[1:]:
        PAGE.write_text(updated(PAGE.read_text()))
    for name, lines in sorted(sizes().items()):
        print(f"{name:10} {lines:6}")
    print(f"{'all':10} {sum(sizes().values()):6}")
