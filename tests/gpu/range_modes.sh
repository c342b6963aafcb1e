#!/usr/bin/env bash
# Nested regions in the range modes on a real GPU: A, A::A1 and B of
# nested_regions in as many runs as they are deep, and their instruction counts
# against the sum over kernels.
#
#   RANGEFINDER  the binary (dist/rangefinder, else a build's)
#   OUT          where the runs go (a temporary folder)
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need ncu nvcc python3
prepare
nvcc -arch=native -O2 -std=c++17 -I"$root/examples" -o "$out/nested_regions" \
  "$root/examples/nested_regions.cu" -ldl || exit 1

metrics='[smsp__inst_executed.sum,gpu__time_duration.sum]'
profile() {  # RUN MODE [OVERRIDE...]
  local run=$1 mode=$2
  shift 2
  "$rangefinder" profile pipeline.ncu.enable=true \
    pipeline.ncu.ncu_cli.replay_mode="$mode" pipeline.ncu.ncu_cli.set=null \
    'pipeline.ncu.ncu_cli.sections=[]' \
    "pipeline.ncu.ncu_cli.metrics=$metrics" \
    pipeline.ncu.ncu_cli.clock_control=none hydra.run.dir="$out/$run" "$@" \
    -- "$out/nested_regions" > "$out/$run.log" 2>&1
}

status=0
profile kernel kernel || { tail -5 "$out/kernel.log"; status=1; }
for mode in range app-range; do
  profile "$mode" "$mode" "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'" ||
    { tail -5 "$out/$mode.log"; status=1; }
done
for run in kernel range app-range; do
  "$rangefinder" show --format json "$out/$run" > "$out/$run.json" || status=1
done
python3 - "$out" << 'PY' || status=1
import json
import sys

out = sys.argv[1]
inst = "smsp__inst_executed.sum"
kernels, bad = {}, 0
for region in json.load(open(f"{out}/kernel.json"))["scopes"][0]["regions"]:
    # Regions without a measured kernel (outside all ranges) have no metrics.
    if cell := region["inclusive"]["metrics"].get(inst):
        kernels[" > ".join(region["path"])] = cell["value"]
for mode in ("range", "app-range"):
    runs = json.load(open(f"{out}/{mode}/ncu/manifest.json"))["runs"]
    made = [run for run in runs if run["used"]]
    print(f"{mode}: {len(made)} runs")
    bad += len(made) != 2
    regions = json.load(open(f"{out}/{mode}.json"))["scopes"][0]["regions"]
    measured = {" > ".join(r["path"]): r["measured"] for r in regions}
    for path in ("A", "A > A::A1", "B"):
        rows = [m["metrics"][inst]["value"] for m in measured.get(path, [])]
        ok = len(rows) == 1 and abs(rows[0] / kernels[path] - 1) <= 1e-3
        print(f"  {path}: measured {rows}, kernels {kernels[path]}:",
              "ok" if ok else "FAIL")
        bad += not ok
sys.exit(bad > 0)
PY
exit $status
