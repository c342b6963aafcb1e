#!/bin/bash
# Names of every character: each format that we write is read by a parser that
# somebody else wrote, and has the names.
. "$(dirname "$0")/common.sh"
program=${RANGEFINDER_BUILD:-$source_dir/build/release}/trace_from_text
[ -x "$program" ] || skip "no $program"

cat > names.py << 'PY'
import random

# Each character that a format gives a meaning to or cannot contain, the ends of
# the ranges of UTF-8 and XML, and bytes that are no character.
CODES = [*range(0x00, 0x30), *range(0x3A, 0x41), *range(0x5B, 0x61), *range(0x7B, 0xA1),
         0x61C, 0x200B, 0x200E, 0x2028, 0x2029, 0x202E, 0x2066, 0xD7FF, 0xE000,
         0xFDD0, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x1F600, 0x1FFFE, 0x10FFFF]
NAMES = [f"c{chr(code)}d".encode() for code in CODES]
NAMES += [chr(code).encode() + b"first" for code in CODES]
NAMES += [b"\xff\xfe", b"cut \xe2\x82", b"surrogate \xed\xa0\x80", b"]]>", b"<![CDATA[",
          b"</script><!--", b"'; DROP TABLE region; --", b"=cmd|' /C calc'!A0",
          b"[link](javascript:alert(1))", b"::error::x", b"%0a::error::x"]
drawn = random.Random(29)
for _ in range(60):
    NAMES.append(b"".join(drawn.choice(NAMES)[:4] for _ in range(6)))
# An empty name and a name that ends at a NUL are shorter in the trace.
NAMES = sorted({name.partition(b"\0")[0] or b"empty" for name in NAMES})


def escaped(name):
    return "".join(f"%{byte:02x}" for byte in name)
PY

# A trace of all names, in which the kernels take STEP times as long.
trace() {
  python3 - "$1" << 'PY' | "$program"
import sys
from names import NAMES, escaped
print("gpu 0", escaped(NAMES[-1]))
for i, name in enumerate(NAMES):
    at, text = 100 * i + 10, escaped(name)
    print(f"{at} push {text}\n{at + 1} push {text}@{text}\n{at + 2} launch {i + 1}")
    print(f"{at + 80} pop {text}\n{at + 81} pop")
    end = at + 10 + (20 + i % 7) * int(sys.argv[1])
    print(f"kernel {text} {at + 10}-{end} of={i + 1}")
PY
}
trace 1 > base.rftrace
trace 2 > new.rftrace

for format in table md json html csv sqlite folded speedscope hatchet perfetto; do
  "$rangefinder" show base.rftrace regions.merge.auto=false --format $format \
    > show.$format
done
for format in table md html json junit github; do
  "$rangefinder" diff base.rftrace new.rftrace regions.merge.auto=false \
    --format $format > diff.$format
done

python3 - << 'PY'
import csv
import html.parser
import json
import sqlite3
import unicodedata
import xml.etree.ElementTree

from names import NAMES

TEXTS = {name.decode(errors="replace") for name in NAMES}


def read(path):
    with open(path, "rb") as file:
        return file.read().decode()          # all formats are UTF-8


def obeyed(text, kept):
    return {c for c in text if c not in kept and (
        unicodedata.category(c) in ("Cc", "Zl", "Zp") or c in
        "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        "\ufeff\ufffe\uffff")}


for path in ("show.table", "show.md", "show.folded", "diff.table", "diff.md",
             "diff.junit", "diff.github"):
    assert not obeyed(read(path), "\n"), (path, obeyed(read(path), "\n"))
for path in ("show.json", "show.html", "show.csv", "show.hatchet", "show.speedscope", "show.perfetto",
             "diff.html", "diff.json"):
    assert not obeyed(read(path), "\n\r\t"), (path, obeyed(read(path), "\n\r\t"))

# JSON has each name as it is.
report = json.loads(read("show.json"))
regions = report["scopes"][0]["regions"]
assert {r["name"] for r in regions} >= TEXTS, TEXTS - {r["name"] for r in regions}
assert {k["kernel_name"] for r in regions for k in r["kernels"]} >= TEXTS
events = json.loads(read("show.perfetto"))["traceEvents"]
assert {e["name"] for e in events} >= TEXTS, TEXTS - {e["name"] for e in events}


def hatchet_names(nodes):
    for node in nodes:
        yield node["frame"]["name"]
        yield from hatchet_names(node.get("children", []))


assert len(set(hatchet_names(json.loads(read("show.hatchet"))))) >= len(TEXTS)
frames = json.loads(read("show.speedscope"))["shared"]["frames"]
assert {f["name"] for f in frames} >= TEXTS, TEXTS - {f["name"] for f in frames}
assert json.loads(read("diff.json"))["regions"]

# CSV has them as JSON in a column, and no cell that is a formula.
with open("show.csv", encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
assert len(rows) == len(NAMES)
paths = {json.loads(row["region"])[0] for row in rows}
assert paths == TEXTS, (paths - TEXTS, TEXTS - paths)
for row in rows:
    assert None not in row and None not in row.values(), row
    assert row["kernel_name"][:1] not in "=+-@\t\r", row["kernel_name"]

# SQLite has them in a line.
database = sqlite3.connect("show.sqlite")
assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
names = {name for name, in database.execute("select name from regions")}
assert len(names) >= len(TEXTS), len(names)
assert not any(obeyed(name or "", "") for name in names)

# XML is well-formed: expat refuses characters that XML 1.0 cannot contain.
suites = xml.etree.ElementTree.fromstring(read("diff.junit"))
cases = {case.get("name") for case in suites.iter("testcase")}
assert len(cases) >= len(TEXTS), (len(cases), len(TEXTS))
assert "c\\ufffed" in cases and "c\\uffffd" in cases, cases

# A line of GitHub's is a command of ours.
for line in read("diff.github").splitlines():
    assert line.split(" ")[0] in ("::error", "::warning", "::notice"), line


# HTML: names add no tags to a page.
class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)


for path in ("show.html", "diff.html"):
    tags = Tags()
    tags.feed(read(path))
    assert "table" not in tags.tags and tags.tags.count("body") == 1, tags.tags
    assert "img" not in tags.tags and tags.tags.count("html") == 1, tags.tags

# Markdown: every row of a table has the cells of its heading.
for path in ("show.md", "diff.md"):
    width = 0
    for line in read(path).splitlines():
        cells = line.replace("\\\\", "").replace("\\|", "").count("|")
        assert not line.startswith("|") or width in (0, cells), line
        width = cells if line.startswith("|") else 0
PY
