#!/bin/bash
# Where the .ncu-rep is gone, reports are made of raw.csv, ours or ncu's: the same
# regions, launches and values, and a note on what is not in it.
. "$(dirname "$0")/common.sh"

amounts='[[r["path"], r["kernel_count"], r["total_ms"],
  round(r["metrics"]["dram__bytes.sum"]),
  round(r["metrics"]["sm__throughput.avg.pct_of_peak_sustained_elapsed"], 2)]
  for r in d["scopes"][0]["regions"]]'
"$rangefinder" show --quiet --format json "$fixtures/multiproc.ncu-rep" > rep.json

# ncu's own: scaled units with a few digits.
"$rangefinder" show --quiet --format json "$fixtures/multiproc.raw.csv" > ncu.json
python3 - << 'PY'
import json

def values(file):
    scope = json.load(open(file))["scopes"][0]
    return {tuple(r["path"]): (r["kernel_count"], r["total_ms"], r["metrics"]["dram__bytes.sum"])
            for r in scope["regions"]}
rep, csv = values("rep.json"), values("ncu.json")
assert rep.keys() == csv.keys(), rep.keys() ^ csv.keys()
for path, (count, ms, dram) in rep.items():
    assert csv[path][0] == count and abs(csv[path][1] - ms) < 1e-6 * ms, (path, csv[path])
    assert abs(csv[path][2] - dram) < 0.01 * dram, (path, dram, csv[path])
PY
"$rangefinder" show "$fixtures/range_ABprefill.raw.csv" > out
has out "LLM@prefill" "range" "read from a raw.csv: sections, rules and their findings"

# Ours: exactly the same.
"$rangefinder" show --quiet --format csv "$fixtures/multiproc.ncu-rep" > raw.csv
"$rangefinder" show --quiet --format json raw.csv > ours.json
[ "$(json ours.json "$amounts")" = "$(json rep.json "$amounts")" ]
"$rangefinder" show --quiet --format csv raw.csv | cmp - raw.csv

# A run directory whose report is gone: `report` writes the same again and again.
profile pipeline.trace.enable=false -- /bin/true > out 2> err
before=$(json run/ncu/regions/report.json \
  '[[r["path"], r["kernel_count"], r["total_ms"]] for r in d["scopes"][0]["regions"]]')
rm run/ncu/*.ncu-rep
cp run/ncu/raw.csv raw.csv
"$rangefinder" report run > out 2> err
has err "is missing" "sections, rules and their findings"
[ "$(json run/ncu/regions/report.json \
  '[[r["path"], r["kernel_count"], r["total_ms"]] for r in d["scopes"][0]["regions"]]')" = "$before" ]
cmp run/ncu/raw.csv raw.csv
cp -r run first
"$rangefinder" report run > out 2> err
diff -r run first

# A cut file gives the rows before the cut; one without rows is none.
head -c 60000 raw.csv > cut.csv
"$rangefinder" show cut.csv > out
has out "truncated or damaged"
head -c 100 raw.csv > cut.csv
status 5 "$rangefinder" show cut.csv > out 2> err
