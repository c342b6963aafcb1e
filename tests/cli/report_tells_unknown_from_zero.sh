#!/usr/bin/env bash
# A value that was not measured is no zero: regions without selected kernels stay,
# ranges measured as a whole have their own time, kernels add up, and every
# scope has its details.
. "$(dirname "$0")/common.sh"

first='d["scopes"][0]'
region() { # NAME EXPRESSION over r
  echo "[${2} for r in ${first}[\"regions\"] if r[\"name\"] == \"$1\"][0]"
}

# A selection of kernels leaves regions where they are, and a note counts the rest.
"$rangefinder" show --format json "$fixtures/nested_basic.ncu-rep" \
  "regions.kernels.include=['saxpy*']" > saxpy.json
[ "$(json saxpy.json "$(region B 'r["summary"]["reason"]')")" = \
  "none of its 2 kernels is selected" ]
[ "$(json saxpy.json "$(region A::A1 'r["kernel_count"]')")" = 0 ]
[ "$(json saxpy.json "$(region B 'r["total_ms"]')")" = None ]
[ "$(json saxpy.json "$(region A 'r["selection"]')")" = \
  '{"include_patterns": [], "exclude_patterns": [], "kernel_include_patterns": ["saxpy*"]}' ]
"$rangefinder" show --format md "$fixtures/nested_basic.ncu-rep" \
  "regions.kernels.include=['nope*']" > none.md
has none.md '- Kernels: only `nope*`' "No counters: none of its 2 kernels is selected." \
  "28 kernels left out by regions.kernels."
not grep -q "nothing was measured" none.md
not grep -q " 0 ns " none.md

# Ranges measured as a whole: their own time, and no count of kernels.
"$rangefinder" show --format json "$fixtures/range_ABprefill.ncu-rep" > range.json
[ "$(json range.json "${first}[\"headline\"]")" = "3 ranges measured as a whole" ]
[ "$(json range.json "${first}[\"totals\"][\"kernel_count\"]")" = None ]
[ "$(json range.json "${first}[\"totals\"][\"gpu_time_ns\"]")" = None ]
[ "$(json range.json "${first}[\"totals\"][\"ranges\"]")" = 3 ]
[ "$(json range.json "$(region A '(r["total_ms"] > 0, r["total_source"],
  r["kernel_count"])')")" = "(True, 'range', None)" ]
"$rangefinder" show --format md "$fixtures/range_ABprefill.ncu-rep" > range.md
has range.md "3 ranges measured as a whole."
not grep -qE "^\|( [^|]+ \|)? *(– \| *){3,}" range.md

# The kernels of a region include those of inner regions, with its own calls.
"$rangefinder" show --format json "$fixtures/nested_basic.ncu-rep" > all.json
[ "$(json all.json "$(region A '(r["kernel_count"],
  sum(k["calls"] for k in r["kernels"]),
  sum(k["own_calls"] for k in r["kernels"]))')")" = "(6, 6, 3)" ]
"$rangefinder" show --format md "$fixtures/nested_basic.ncu-rep" > all.md
has all.md "Kernels, inner regions included; exclusive launches are outside all of them."

# Every scope has its details, under its name.
"$rangefinder" report "$fixtures/multiproc.ncu-rep" regions.aggregate=false \
  hydra.run.dir=run > out 2> err
for scope in $(json run/ncu/regions/report.json \
  '" ".join(s["scope"] for s in d["scopes"])'); do
  has run/ncu/regions/report.md "## Details, scope $scope"
done
[ "$(grep -c '^## Details, scope process' run/ncu/regions/report.md)" = 2 ]

# Of results without a duration, times are absent, and no mean counts them as 0.
python3 - "$fixtures/nested_basic.raw.csv" << 'PY'
import csv
import sys

rows = list(csv.reader(open(sys.argv[1])))
time, kernel = rows[0].index("gpu__time_duration.sum"), rows[0].index("Kernel Name")
for number, row in enumerate(rows[2:]):
    if number % 2 or row[kernel].startswith("saxpy"):
        row[time] = ""
csv.writer(open("half.csv", "w"), quoting=csv.QUOTE_ALL).writerows(rows)
PY
"$rangefinder" kernels half.csv --format json > kernels.json 2> err
"$rangefinder" show half.csv --by kernel --columns launches,mean,min > out 2> err
"$rangefinder" show half.csv --format hatchet > hatchet.json 2> err
python3 - << 'PY'
import json

for kernel in json.load(open("kernels.json"))["kernels"]:
    if kernel["name"].startswith("saxpy"):
        assert kernel["total_ms"] is kernel["mean_ms"] is kernel["share"] is None, kernel
    else:
        assert kernel["min_ms"] <= kernel["mean_ms"] <= kernel["max_ms"], kernel


def check(node):
    metrics, inner = node["metrics"], [check(one) for one in node.get("children", [])]
    assert metrics["cpu_time (inc)"] is None and metrics["instances"] is None, metrics
    if node["frame"]["name"].startswith("saxpy"):
        assert metrics["time"] is metrics["time (inc)"] is None, metrics
    known = [time for time in inner if time is not None]
    if inner:
        assert metrics["time (inc)"] == (sum(known) if known else None), node
    return metrics["time (inc)"]


assert any(check(root) is None for root in json.load(open("hatchet.json")))
PY
grep -qE "^saxpy +13 +– +–" out
grep -qE "^burn.* 8 +40" out
# The other side knows all times: no change is claimed.
"$rangefinder" diff half.csv "$fixtures/nested_basic.raw.csv" > out 2> err
has out "The base has no GPU time of the whole run." "INCOMPARABLE"
not grep -qE "AMBIGUOUS|Contributions" out
