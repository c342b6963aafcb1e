#!/usr/bin/env bash
# The work that recording kernels' times adds (programs/tracer_work.cu): estimates,
# from which it is subtracted, against exact counts in place, which do not have it.
# Instructions are within 0.05 % of the count. Active cycles are within 150 per launch
# of the SMs in use, and within their intervals, where an SM has one block at most;
# with more they are printed.
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... tracer_work.sh
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -euo pipefail
need python3 nvcc
prepare
nvcc -O2 -std=c++17 -arch=native -o "$out/tracer_work" "$here/programs/tracer_work.cu" \
  -ldl > "$out/nvcc.log" 2>&1 || { cat "$out/nvcc.log"; skip "nvcc could not build tracer_work.cu"; }
"$rangefinder" profile hydra.run.dir="$out/run" pipeline.counters.check=true \
  pipeline.counters.budget=100% "pipeline.counters.metrics=[$six]" -- \
  "$out/tracer_work" 40 > "$out/table" 2> "$out/err" || { tail -20 "$out/err"; exit 1; }
python3 - "$out/run/ncu/regions/report.json" <<'END'
import json, sys
checks = {}
for row in json.load(open(sys.argv[1]))["capture"]["check"]:
    checks.setdefault(row["region"], {})[row["metric"]] = row
launches, far = 100, []
for region, rows in checks.items():
    code, cycles = rows["sm__inst_executed.sum"], rows["sm__cycles_active.avg"]
    share = min(int(region.split()[-3]), 132) / 132  # of an H100's or H200's SMs
    off = code["estimate"] / code["exact"] - 1
    each = (cycles["estimate"] - cycles["exact"]) / launches / share
    held = abs(cycles["estimate"] - cycles["exact"]) < 1.96 * cycles["standard_error"]
    print(f"{region:24} instructions {off:+9.3%} of {code['exact']:11.0f}, cycles of a launch "
          f"{each:+6.0f} of {cycles['exact'] / launches / share:6.0f}, "
          f"{'held' if held else 'not held'}")
    one_block = int(region.split()[-3]) <= 132
    if abs(off) > 5e-4 or one_block and (abs(each) > 150 or not held):
        far.append(region)
assert len(checks) == 17 and not far, (len(checks), far)
END
