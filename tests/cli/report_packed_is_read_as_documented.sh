#!/bin/bash
# The Python of docs/report-json.md reads the packed part of a report.json.
. "$(dirname "$0")/common.sh"

# The first block: the others need data that this report has not.
awk '/^```$/ && inside { exit } inside; /^```python$/ { inside = 1 }' \
  "$source_dir/docs/report-json.md" > read.py
[[ -s read.py ]]

"$rangefinder" show --format json report.format.metrics=requested \
  "$fixtures/nested_basic.ncu-rep" > report.json
"$rangefinder" show --format json "$fixtures/nested_basic.ncu-rep" > all.json
python3 read.py report.json > out
python3 - << 'END'
import ast, json
every = json.load(open("all.json"))
packed = json.load(open("report.json"))
assert "columns" not in every and "columns" in packed
regions = {r["id"]: r for r in every["scopes"][0]["regions"]}
lines = open("out").read().splitlines()
assert len(lines) == len(regions), lines
seen = 0
for line in lines:
    region, values = line.split(" ", 1)
    cells = regions[int(region)]["inclusive"]["metrics"]
    for name, value in ast.literal_eval(values).items():
        if name.startswith("device__attribute_"):
            continue
        assert cells[name]["value"] == value, (region, name)
        seen += 1
assert seen > 500, seen
END

# Metrics that are asked for by name stay in place.
"$rangefinder" show --format json report.format.metrics=requested \
  report.metrics=launch__grid_size "$fixtures/nested_basic.ncu-rep" > report.json
python3 -c '
import json
report = json.load(open("report.json"))
region = report["scopes"][0]["regions"][0]
assert list(region["inclusive"]["metrics"]) == ["launch__grid_size"]
assert report["metrics"]["launch__grid_size"]["cells"] == "in_place"'

not "$rangefinder" show report.format.metrics=al "$fixtures/nested_basic.ncu-rep" 2> err
has err "report.format.metrics"
