#!/bin/bash
# discover needs no GPU for the regions themselves: how often each ran, and how
# long on the CPU.
. "$(dirname "$0")/common.sh"
library=${RANGEFINDER_BUILD:-$source_dir/build/release}/librangefinder_inject.so
[ -f "$library" ] || skip "no $library"
program=${RANGEFINDER_BUILD:-$source_dir/build/release}/inject_ranges
[ -x "$program" ] || skip "no $program"
export RANGEFINDER_INJECT_LIBRARY=$library
"$rangefinder" discover hydra.run.dir="$t/run" -- "$program" threads 4 100 \
  > out 2> err || true
[ -d "$t/run/trace" ]
python3 - "$t/run/ncu/regions/report.json" << 'PY'
import json
import sys

document = json.load(open(sys.argv[1]))
regions = document["scopes"][0]["regions"]
assert regions, "no region"
assert all(r["instances"] > 0 for r in regions if r["path"]), regions
assert all("times" in r for r in regions if r["path"])
PY
