#!/usr/bin/env bash
# The top-kernels workflow on a real GPU: discover -> kernels -> each kernel
# profiled on its own, on shallow_resnet; and the same list from an ncu capture.
#
#   RANGEFINDER                 the binary (dist/rangefinder, else a build's)
#   RANGEFINDER_INJECT_LIBRARY  the tracer, when it does not lie beside it
#   OUT                         where the runs go (a temporary folder)
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need ncu nvcc python3
prepare
cd "$out" || exit 1

nvcc -arch=native -O2 -std=c++17 -o shallow_resnet \
  "$root/examples/shallow_resnet.cu" -ldl || exit 1

# From the tracer, whose demangler is not ncu's.
"$rangefinder" discover hydra.run.dir="$out/discover" -- ./shallow_resnet \
  > discover.log 2>&1
ok $? "discover"
"$rangefinder" kernels --top 3 --output traced.yaml discover > kernels.log 2>&1
ok $? "kernels of the trace: $(grep -c '^  - name' traced.yaml 2> /dev/null)"
"$rangefinder" kernels --format json discover > traced.json 2>> kernels.log
"$rangefinder" kernels discover | sed 's/^/     /'

list() {  # RUN YAML [OVERRIDE...]: a run of ncu for each kernel of the list
  local run=$1 yaml=$2
  shift 2
  "$rangefinder" profile pipeline.ncu.kernel_config="$yaml" \
    pipeline.ncu.ncu_cli.set=null pipeline.ncu.ncu_cli.clock_control=none \
    'pipeline.ncu.ncu_cli.sections=[SpeedOfLight,Occupancy]' \
    hydra.run.dir="$out/$run" "$@" -- ./shallow_resnet > "$run.log" 2>&1
}
# A skip that leaves every kernel one launch.
list traced_list traced.yaml pipeline.ncu.kernel_launch_skip=1
ok $? "kernel_config from the trace: $(tail -1 traced_list.log)"

# From an ncu capture: ncu's own names, so its own regular expressions.
"$rangefinder" profile pipeline.ncu.enable=true pipeline.ncu.gating_nvtx=false \
  pipeline.ncu.ncu_cli.set=null 'pipeline.ncu.ncu_cli.sections=[]' \
  'pipeline.ncu.ncu_cli.metrics=[gpu__time_duration.sum]' \
  pipeline.ncu.ncu_cli.clock_control=none hydra.run.dir="$out/capture" \
  -- ./shallow_resnet > capture.log 2>&1
ok $? "an ncu capture to take names from"
"$rangefinder" kernels --top 3 --output profiled.yaml capture >> kernels.log 2>&1
"$rangefinder" kernels --format json capture > profiled.json 2>> kernels.log
list profiled_list profiled.yaml pipeline.ncu.kernel_launch_skip=0 \
  pipeline.ncu.kernel_launch_count=2
ok $? "kernel_config from the capture: $(tail -1 profiled_list.log)"
# The default skip is more than this program launches: said, and no failure.
list none profiled.yaml pipeline.ncu.kernel_top=1
ok $? "a kernel launched too seldom is no failure"
grep -q 'pipeline.ncu.kernel_launch_skip=0' none.log
ok $? "and is said with what to type"

python3 - "$out" << 'PY' || failed=1
import csv
import glob
import hashlib
import json
import os
import re
import sys

out, bad = sys.argv[1], 0


def check(ok, text):
    global bad
    bad += not ok
    print(("ok   " if ok else "FAIL ") + text)


def function(name):
    return re.sub(r"[<(].*", "", name.removeprefix("void ")).split("::")[-1].strip()


for lst, run, skip, count in (("traced", "traced_list", 1, 1),
                              ("profiled", "profiled_list", 0, 2)):
    kernels = json.load(open(f"{out}/{lst}.json"))["kernels"][:3]
    check(len(kernels) >= 2, f"{lst}: {len(kernels)} kernels listed")
    for kernel in kernels:
        md5 = hashlib.md5(kernel["name"].encode()).hexdigest()
        folder = f"{out}/{run}/ncu/kernel_{kernel['rank']:04d}_{md5}"
        what = f"{run} #{kernel['rank']} {kernel['name'][:50]}"
        want = max(0, min(count, kernel["calls"] - skip))
        if want == 0:
            check(not os.path.exists(f"{folder}/ncu.ncu-rep"), f"{what}: too few launches")
            continue
        files = ["ncu.ncu-rep", "ncu.details.csv", "command.yaml",
                 "ncu.section_SpeedOfLight.csv", "ncu.section_Occupancy.csv"]
        missing = [f for f in files if not os.path.exists(f"{folder}/{f}")]
        check(not missing, f"{what}: layout" + (f": missing {missing}" if missing else ""))
        if missing:
            continue
        rows = list(csv.DictReader(open(f"{folder}/ncu.section_SpeedOfLight.csv", newline="")))
        names = {row["Kernel Name"] for row in rows}
        ids = {row["ID"] for row in rows}
        check(len(ids) == want and {function(n) for n in names} == {function(kernel["name"])},
              f"{what}: {len(ids)} of {want} launches of {sorted(names)}")
        duration = [float(r["Metric Value"]) for r in rows if r["Metric Name"] == "Duration"]
        check(len(duration) == want and all(500 < d < 1e8 for d in duration),
              f"{what}: Duration {duration} ns, listed mean {kernel['mean_ms'] * 1e6:.0f} ns")
    total = json.load(open(f"{out}/{run}/ncu/regions/report.json"))["scopes"][0]["totals"]
    folders = glob.glob(f"{out}/{run}/ncu/kernel_*/ncu.ncu-rep")
    check(total["kernel_count"] >= len(folders) > 0,
          f"{run}: the report has {total['kernel_count']} kernels of {len(folders)} runs")
sys.exit(bad > 0)
PY
[[ $failed = 0 ]] && echo "all ok" || echo "FAILED: logs in $out"
exit $failed
