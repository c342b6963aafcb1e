#!/usr/bin/env bash
# The flow of `profile` on a real GPU: a plan from a trace, its cost before and
# after the run, budgets, instances, lost ranges, a filter that crashes ncu, and the
# cost of region mode beside plain ncu.
#
#   RANGEFINDER  the binary (dist/rangefinder, else a build's)
#   RANGEFINDER_INJECT_LIBRARY  the tracer, where it is not beside the binary
#   OUT          where the runs go (a temporary folder)
#   STEPS        names of the steps to run (all of them)
#
# One line a step: ok, FAIL or skip, seconds, what was seen. The status is 1
# when a step failed. Without GPU, ncu or nvcc: 77.
set -uo pipefail
export LC_ALL=C
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need ncu nvcc python3
prepare
bin=$out/bin
mkdir -p "$bin"

inst='smsp__inst_executed.sum'
# One pass a kernel, so that the steps are short.
light=(pipeline.ncu.ncu_cli.set=null 'pipeline.ncu.ncu_cli.sections=[]'
  "pipeline.ncu.ncu_cli.metrics=[gpu__time_duration.sum,$inst]"
  pipeline.ncu.exact_rollup=false 'report.formats=[md,json]')

# profile RUN [OVERRIDE...] -- PROGRAM...
profile() {
  local run=$1
  shift
  timeout -k 10 120 "$rangefinder" profile pipeline.ncu.enable=true \
    pipeline.ncu.ncu_cli.clock_control=none hydra.run.dir="$out/$run" "$@" \
    > "$out/$run.out" 2> "$out/$run.err"
}

# look RUN EXPRESSION: of Python over m (the manifest) and d (the report); `n`
# the texts of its notes, `whole(path)` the instruction counts measured over it.
look() {
  python3 - "$out/$1" "$2" "$inst" << 'PY'
import json
import sys

run, expression, inst = sys.argv[1:]
m = json.load(open(run + "/ncu/manifest.json"))
d = json.load(open(run + "/ncu/regions/report.json"))
regions = d["scopes"][0]["regions"] if d["scopes"] else []
n = [note["text"] if isinstance(note, dict) else note for note in d["notes"]]


def region(*path):
    return next(r for r in regions if r["path"] == list(path))


def whole(*path):
    return [w["metrics"][inst]["value"] for w in region(*path)["measured"]]


def inclusive(*path):
    return region(*path)["inclusive"]["metrics"][inst]["value"]


print(eval(expression))
PY
}

# expect WHAT WANTED GOT
expect() {
  [[ $2 == "$3" ]] || { echo "$1: $3, not $2"; return 1; }
}

cost='"{} {}s x {} passes, {:.0f} s expected; {} x {}, {:.1f} s it was".format(
  m["cost"]["units"], m["cost"]["unit"], m["cost"]["passes"],
  m["cost"]["seconds"], m["cost"]["spent"]["units"],
  m["cost"]["spent"]["passes"], m["cost"]["spent"]["seconds"])'

# ---- Steps ------------------------------------------------------------------
# Each prints its finding as the last line of its output; 77 is a skip.

step_build() {
  RANGEFINDER_EXAMPLES='' "$root/examples/build.sh" "$bin" >&2 || return
  nvcc -arch=native -O2 -std=c++17 -I"$root/examples" \
    -o "$bin/flow_ranges" "$here/programs/flow_ranges.cu" -ldl >&2 || return
  echo "$(find "$bin" -type f | wc -l) programs"
}

# Two runs and no other, planned from the trace.
planned() {  # MODE
  profile "$1" "${light[@]}" pipeline.ncu.ncu_cli.replay_mode="$1" \
    "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'" -- "$bin/nested_regions"
  expect status 0 $? || return
  [[ ! -e $out/$1/discovery ]] || { echo "a discovery run"; return 1; }
  expect trace "ok trace" "$(look "$1" 'm["trace"]["status"] + " " + m["trace"]["mode"]')" || return
  expect runs "['level-1', 'level-2']" "$(look "$1" '[r["name"] for r in m["runs"]]')" || return
  expect measured "[1, 1, 1]" "$(look "$1" \
    '[len(whole("A")), len(whole("A", "A::A1")), len(whole("B"))]')" || return
  expect lost 0 "$(look "$1" 'sum("not measured as a whole" in t for t in n)')" || return
  look "$1" "$cost"
}
step_range() { planned range; }
step_app_range() { planned app-range; }

# The expected and the real cost of kernel replay of the default metrics.
step_cost() {
  profile cost -- "$bin/nested_regions"
  expect status 0 $? || return
  grep -q ' passes: about ' "$out/cost.err" || { echo "no line"; return 1; }
  look cost "$cost"
}

# The launches that ncu measures are those that the budget says.
step_budget() {
  profile budget "${light[@]}" pipeline.ncu.budget=8s -- \
    "$bin/shallow_resnet" --repeats 24
  expect status 0 $? || return
  expect cut True "$(look budget 'm["budget"]["measured"] < m["budget"]["total"]')" || return
  expect kernels True "$(look budget \
    'd["scopes"][0]["totals"]["kernel_count"] == m["budget"]["measured"] == m["cost"]["spent"]["units"]')" || {
    look budget '(d["scopes"][0]["totals"]["kernel_count"], m["budget"], m["cost"])'
    return 1
  }
  expect "regions without a launch" "[]" "$(look budget \
    '[r["path"] for r in d["scopes"][0]["regions"] if r["path"] and r["traced"]["kernel_count"] > 0 and r["kernel_count"] == 0] + m["budget"]["uncovered"]')" || return
  look budget '"{} of {} launches, {} or more of each (by {}), {:.0f} s expected; ncu took {:.1f} s".format(
    m["budget"]["measured"], m["budget"]["total"], m["budget"]["launch_count"], m["budget"]["by"],
    m["budget"]["expected_seconds"], m["cost"]["spent"]["seconds"])'
}

# Of both regions of one run the second and third instance, told apart by how
# much they execute; and kernel replay with the same selection agrees.
instances() {  # MODE
  local run=instances_$1
  profile "$run" "${light[@]}" pipeline.ncu.ncu_cli.replay_mode="$1" \
    "pipeline.ncu.ncu_cli.nvtx.include='step;other'" \
    regions.instances.skip=1 regions.instances.count=2 -- "$bin/flow_ranges" steps
  expect status 0 $? || return
  expect "measured of step and other" "[2, 2] [1.5, 1.5]" "$(look "$run" \
    'str([len(whole(p)) for p in ("step", "other")]) + " " + str([round(max(whole(p)) / min(whole(p)), 3) for p in ("step", "other")])')"
}
step_instances_range() { instances range && echo "instances 2 and 3 of both"; }
step_instances_app_range() {
  instances app-range && echo "instances 2 and 3 of both"
}
step_instances_kernel() {
  profile instances_kernel "${light[@]}" regions.instances.skip=1 \
    regions.instances.count=2 -- "$bin/flow_ranges" steps
  expect status 0 $? || return
  expect kernels "[4, 2]" "$(look instances_kernel \
    '[region(p)["inclusive"]["kernel_count"] for p in ("step", "other")]')" || return
  [[ -d $out/instances_range ]] || { echo "4 and 2 kernels"; return; }
  local kernels ranges
  kernels=$(look instances_kernel '[inclusive("step"), inclusive("other")]')
  ranges=$(look instances_range '[sum(whole("step")), sum(whole("other"))]')
  python3 -c '
import sys
a, b = map(eval, sys.argv[1:])
worst = max(abs(x / y - 1) for x, y in zip(a, b))
print("instructions of kernels {} and ranges {}".format(a, b))
sys.exit(worst > 1e-3)' "$kernels" "$ranges"
}

# A range that the plan has and the run has not; one that range replay refuses.
step_lost() {
  profile lost "${light[@]}" pipeline.ncu.ncu_cli.replay_mode=range \
    -- "$bin/flow_ranges" shy
  expect status 0 $? || return
  expect note "[True]" "$(look lost \
    '[t.startswith("shy was not measured as a whole in range replay") for t in n if "as a whole" in t]')" || return
  profile refused "${light[@]}" pipeline.ncu.ncu_cli.replay_mode=range \
    pipeline.ncu.fallback=none -- "$bin/flow_ranges" graph
  expect "status of a refused range" 4 $? || return
  look refused '[t for t in n if t.startswith("graph was not measured")][0][:110]'
}

# The predecessor's command line for its dummy model.
step_dummy() {
  RANGEFINDER_EXAMPLES=$bin profile dummy \
    model/dummy_shallow_resnet/arch@model=dummy_shallow_resnet.default \
    model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.default \
    pipeline.ncu.ncu_cli.replay_mode=range \
    'pipeline.ncu.ncu_cli.sections=[SpeedOfLight,Occupancy]'
  expect status 0 $? || return
  expect measured True "$(look dummy \
    'len([r for r in regions if r["measured"]]) > 10 and not any("not measured as a whole" in t for t in n)')" || return
  look dummy '"{} regions measured; ".format(len([r for r in regions if r["measured"]])) + '"$cost"
}

# ncu crashes a program that opens a range without a name under a filter.
step_nameless() {
  profile nameless "${light[@]}" "pipeline.ncu.ncu_cli.nvtx.include='named'" \
    -- "$bin/flow_ranges" nameless
  expect status 0 $? || return
  expect kernels 2 "$(look nameless 'd["scopes"][0]["totals"]["kernel_count"]')" || return
  look nameless '[t for t in n if "left out here" in t][0] if not m["runs"][-1]["filtered"] else "this ncu does not crash under a filter"'
}

# Region mode beside the same command of plain ncu, one after the other, three
# times: medians.
step_ratio() {
  local ours=() plain=() i start
  local run=(pipeline.trace.enable=false pipeline.ncu.exact_rollup=false
    pipeline.ncu.ncu_cli.set=null 'pipeline.ncu.ncu_cli.sections=[]'
    "pipeline.ncu.ncu_cli.metrics=[gpu__time_duration.sum,$inst,dram__bytes.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed]")
  for i in 1 2 3; do
    start=$EPOCHREALTIME
    profile "ratio_$i" "${run[@]}" -- "$bin/shallow_resnet" --repeats 2
    expect status 0 $? || return
    ours+=("$(python3 -c "print($EPOCHREALTIME - $start)")")
    start=$EPOCHREALTIME
    ncu --config-file off --force-overwrite --export "$out/plain_$i" \
      --log-file "$out/plain_$i.log" --target-processes all --replay-mode kernel \
      --nvtx --nvtx-include 'regex:.*@.*/' --nvtx-include 'regex:.*@.*' \
      --clock-control none --kernel-name-base demangled \
      --metrics "gpu__time_duration.sum,$inst,dram__bytes.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed" \
      "$bin/shallow_resnet" --repeats 2 > /dev/null 2>&1
    expect "plain ncu" 0 $? || return
    plain+=("$(python3 -c "print($EPOCHREALTIME - $start)")")
  done
  python3 -c '
import statistics, sys
half = len(sys.argv) // 2
ours, plain = (statistics.median(map(float, part))
               for part in (sys.argv[1:half + 1], sys.argv[half + 1:]))
print(f"ours with the report {ours:.2f} s, plain ncu {plain:.2f} s: "
      f"{100 * (ours / plain - 1):+.1f} % (at most +5)")
sys.exit(ours / plain > 1.05)' "${ours[@]}" "${plain[@]}"
}

# ---- Running them -----------------------------------------------------------

failures=0
begin=$SECONDS
"$rangefinder" --version
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
for step in ${STEPS:-build range app_range cost budget instances_range \
    instances_app_range instances_kernel lost dummy nameless ratio}; do
  start=$EPOCHREALTIME
  finding=$("step_$step" 2> "$out/$step.log" | tail -1)
  status=$?
  case $status in
    0) word=ok ;;
    77) word=skip ;;
    *) word=FAIL; failures=$((failures + 1)) ;;
  esac
  printf '%-4s %-20s %6.1f s  %s\n' "$word" "$step" \
    "$(python3 -c "print($EPOCHREALTIME - $start)")" "$finding"
  if [[ $word == FAIL ]]; then
    for file in "$out/$step.err" "$out/$step.log"; do
      [[ ! -s $file ]] || tail -5 "$file" | cut -c 1-300 | sed 's/^/       | /'
    done
  fi
done
echo "$failures failed, $((SECONDS - begin)) s"
exit $((failures > 0))
