#!/usr/bin/env bash
# Counters on a real GPU: the chip that the driver names and its metrics, and
# what `doctor` finds by trying sampling and counting, one after the other and
# both a second time. Prints all of it.
#
#   RANGEFINDER  the binary (dist/rangefinder, else a build's)
#   OUT          where the outputs go (a temporary folder)
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need python3
prepare

nvidia-smi --query-gpu=name,driver_version,mig.mode.current --format=csv
status=0
"$rangefinder" counters --format json > "$out/all.json" || status=1
"$rangefinder" counters --format json sm__inst_executed.sum \
  dram__bytes_read.sum > "$out/two.json" || status=1
"$rangefinder" counters | head -5
for turn in 1 2; do
  # Not all that doctor looks for has to be here, as ncu.
  "$rangefinder" doctor --format json > "$out/doctor$turn.json" 2> "$out/err"
  python3 - "$out/doctor$turn.json" << 'PY' || status=1
import json
import sys

checks = {c["check"]: c for c in json.load(open(sys.argv[1]))}
for name in ("GPU", "driver", "permission", "other profilers", "MIG",
             "CUPTI", "sampling", "counting"):
    check = checks[name]
    print(f"{name:16} {'ok' if check['ok'] else 'NO':3} {check['found']}")
    if check["fix"]:
        print(f"{'':20} -> {check['fix']}")
sys.exit(not all(checks[name]["ok"]
                 for name in ("CUPTI", "sampling", "counting")))
PY
done
python3 - "$out" << 'PY' || status=1
import json
import sys

everything = json.load(open(f"{sys.argv[1]}/all.json"))
two = json.load(open(f"{sys.argv[1]}/two.json"))
print(everything["device"], everything["chip"], everything["cupti_version"],
      len(everything["metrics"]), "metrics")
print("together", two["passes_together"])
sys.exit(not (everything["device"] and len(two["metrics"]) == 2
              and two["passes_together"]["sample"] == 1))
PY
exit $status
