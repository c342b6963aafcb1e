#!/usr/bin/env bash
# The lines that existing users know, typed as they stand, on the bundled program
# with the real ncu: each ends with the regions that it names.
#
#   RANGEFINDER                 the binary (dist/rangefinder, else a build's)
#   RANGEFINDER_INJECT_LIBRARY  the tracer, when it does not lie beside it
#   OUT                         where the runs go (a temporary folder)
#
# Without GPU, ncu or nvcc: 77.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need ncu nvcc python3
prepare
cd "$out" || exit 1

# line NAME REGIONS STATUS OVERRIDE...: one line, and in its report all REGIONS
# (paths, separated by commas; empty: none are asked for).
line() {
  local name=$1 regions=$2 status=$3 start=$SECONDS seen
  shift 3
  timeout -k 10 200 "$rangefinder" profile "$@" hydra.run.dir="$out/$name" \
    > "$name.log" 2>&1
  local ended=$?
  seen=$(python3 - "$name" "$regions" << 'PY'
import json
import sys

run, wanted = sys.argv[1], [w for w in sys.argv[2].split(",") if w]
if not wanted:
    sys.exit()
d = json.load(open(f"{run}/ncu/regions/report.json"))
paths = {"/".join(r["path"]): r for r in d["scopes"][0]["regions"]}
measured = {p for p, r in paths.items()
            if r["inclusive"]["kernel_count"] or r.get("measured")}
missing = [w for w in wanted if w not in measured]
print(f"{len(measured)} regions: {', '.join(sorted(measured))[:90]}"
      + (f"; MISSING {missing}" if missing else ""))
sys.exit(bool(missing))
PY
)
  local found=$?
  [[ $ended = "$status" && $found = 0 ]]
  ok $? "$name: status $ended, $((SECONDS - start)) s; $seen"
}

ncu=(pipeline.ncu.enable=true)
line range_domain LLM@prefill,LLM@decode_0 0 "${ncu[@]}" \
  pipeline.ncu.ncu_cli.replay_mode=range pipeline.ncu.ncu_cli.nvtx.include='LLM@*' \
  'pipeline.ncu.ncu_cli.sections=[SpeedOfLight,MemoryWorkloadAnalysis,Occupancy,SchedulerStats]'
line app_range LLM@prefill 0 "${ncu[@]}" pipeline.ncu.ncu_cli.replay_mode=app-range \
  pipeline.ncu.ncu_cli.nvtx.include='prefill*'
line kernels_apart LLM@decode_0,LLM@decode_0/LLM@attn,LLM@decode_0/LLM@mlp 0 "${ncu[@]}" \
  pipeline.ncu.ncu_cli.replay_mode=kernel pipeline.ncu.ncu_cli.nvtx.include='decode*'
line plus_key LLM@decode_0 0 "${ncu[@]}" pipeline.ncu.ncu_cli.replay_mode=kernel \
  '+pipeline.ncu.ncu_cli.nvtx.include=decode*'
line exact_name LLM@decode_0/LLM@attn 0 "${ncu[@]}" \
  pipeline.ncu.ncu_cli.replay_mode=kernel pipeline.ncu.ncu_cli.nvtx.include='LLM@*' \
  pipeline.ncu.ncu_cli.kernel_name='my_exact_kernel_name' \
  pipeline.ncu.ncu_cli.kernel_name_base=demangled
# A name that nothing matches: said before ncu starts.
line no_such_name '' 0 "${ncu[@]}" pipeline.ncu.ncu_cli.replay_mode=kernel \
  pipeline.ncu.ncu_cli.nvtx.include='LLM@*' pipeline.ncu.ncu_cli.kernel_name='matmull'
grep -q "no kernel of the program" no_such_name.log && ! grep -q '==PROF==' no_such_name.log
ok $? "  said: $(grep -m1 -A1 'no kernel of' no_such_name.log | tr '\n' ' ' | cut -c1-160)"
line regex_name LLM@decode_0/LLM@attn 0 "${ncu[@]}" \
  pipeline.ncu.ncu_cli.nvtx.include='decode*' \
  pipeline.ncu.ncu_cli.kernel_name='regex:.*matmul.*' \
  pipeline.ncu.ncu_cli.kernel_name_base=demangled \
  'pipeline.ncu.ncu_cli.sections=[SpeedOfLight,MemoryWorkloadAnalysis,Occupancy]'
line dummy_model '' 0 \
  model/dummy_shallow_resnet/arch@model=dummy_shallow_resnet.default \
  model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.default \
  "${ncu[@]}" pipeline.ncu.ncu_cli.replay_mode=range \
  'pipeline.ncu.ncu_cli.sections=[SpeedOfLight,Occupancy]'
line three_labels A,B,A/A::A1 0 "${ncu[@]}" pipeline.nsys.enable=false \
  pipeline.ncu.ncu_cli.replay_mode=range \
  "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'" device=cuda:0 hydra.job.chdir=true
line alone A,B,A/A::A1,LLM@prefill 0

"$rangefinder" discover --example hydra.run.dir="$out/discover" > discover.log 2>&1
ok $? "discover --example"
python3 - << 'PY'
import json
import sys

d = json.load(open("discover/ncu/regions/report.json"))
a = [r for r in d["scopes"][0]["regions"] if r["path"] == ["A"]]
sys.exit(not (a and a[0]["inclusive"]["gpu_time_ns"] > 0))
PY
ok $? "  and A has a GPU time"
"$rangefinder" counters 'dram__bytes*' > counters.log 2>&1 && grep -q '^dram__bytes' counters.log
ok $? "counters 'dram__bytes*': $(grep -c '^dram__' counters.log) counters"
[[ $failed = 0 ]] && echo "all ok" || echo "FAILED: logs in $out"
exit $failed
