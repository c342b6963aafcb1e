#!/usr/bin/env bash
# The main job on a real GPU, in every way that a program can end: what
# docs/measured.md records.
#
#   RANGEFINDER  the binary (dist/rangefinder, else a build's)
#   OUT          where the runs go (a temporary folder)
#   RESULTS      where a few small results are copied to, if set
#   STEPS        names of the steps to run (all of them)
#
# One line a step: ok, FAIL or skip, seconds, what was seen. A failed step does
# not end the script, but its status is 1. Without GPU, ncu or nvcc: 77.
set -uo pipefail
export LC_ALL=C

. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
need ncu python3
prepare
bin=$out/bin
summary=$out/summary.txt
: >"$summary"

# ---- Steps ------------------------------------------------------------------
# Each prints its finding as the last line of its output; its status is the
# verdict, 77 for skip. All else it says goes to OUT/<step>.log.

few_metrics='pipeline.ncu.ncu_cli.metrics=[gpu__time_duration.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed,dram__throughput.avg.pct_of_peak_sustained_elapsed,dram__bytes.sum]'
light=(pipeline.ncu.ncu_cli.set=null 'pipeline.ncu.ncu_cli.sections=[]'
  "$few_metrics")

# profile RUN [OVERRIDE...] -- PROGRAM...
profile() {
  local run=$1
  shift
  timeout -k 10 240 "$rangefinder" profile pipeline.ncu.enable=true \
    pipeline.ncu.ncu_cli.clock_control=none hydra.run.dir="$out/$run" "$@"
}

# check RUN CHECK-ARGUMENT...
check() {
  local run=$1
  shift
  "$rangefinder" show --format json "$out/$run" |
    python3 "$here/check_report.py" "$@"
}

# status_is EXPECTED ACTUAL
status_is() {
  [[ $1 == "$2" ]] || {
    echo "exit status $2, not $1"
    return 1
  }
}

nested_counts=('A=3/6' 'A > A::A1=3/3' 'B=2/2' 'LLM@prefill=1/3'
  'LLM@prefill > LLM@attn=2/2' 'LLM@decode_0=2/2' 'LLM@decode_1=2/2'
  'LLM@decode_2=2/2' 'S1=1/2' 'S1 > S2=1/1' 'S2=1/1' 'T0=1/1' 'T1=2/2'
  'weird/na me,[x]@y*=1/1')

step_build() {
  "$root/examples/build.sh" "$bin" >&2 || return
  local source
  for source in "$here"/programs/*.cu; do
    nvcc -arch=native -O2 -std=c++17 -lineinfo -I"$root/examples" \
      -o "$bin/$(basename "$source" .cu)" "$source" -ldl >&2 || return
  done
  echo "$(find "$bin" -type f | wc -l) programs"
}

# The default metrics and sections, kernels outside ranges too.
step_nested() {
  profile nested pipeline.ncu.gating_nvtx=false -- "$bin/nested_regions" >&2
  status_is 0 $? || return
  check nested --total 28 --processes 1 '(unattributed)=4/4' \
    "${nested_counts[@]}"
}

# As a user gets it by default: only what is inside ranges.
step_nested_gated() {
  profile nested_gated "${light[@]}" -- "$bin/nested_regions" >&2
  status_is 0 $? || return
  check nested_gated --total 24 "${nested_counts[@]}"
}

step_two_processes() {
  profile two_processes "${light[@]}" pipeline.ncu.gating_nvtx=false -- \
    "$bin/nested_regions" --procs 2 >&2
  status_is 0 $? || return
  check two_processes --total 56 --processes 2 '(unattributed)=8/8' 'A=6/12'
}

# The report is made again from the artifacts, byte for byte.
step_report_again() {
  local files=(report.md report.json) before after
  before=$(cd "$out/nested/ncu/regions" && sum_without_time "${files[@]}")
  "$rangefinder" report "$out/nested" >&2
  status_is 0 $? || return
  after=$(cd "$out/nested/ncu/regions" && sum_without_time "${files[@]}")
  [[ $before == "$after" ]] || {
    echo "report.md or report.json changed"
    return 1
  }
  echo "${files[*]} unchanged"
}
sum_without_time() {
  [[ -s $1 && -s $2 ]] || echo "missing $RANDOM"
  sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z?//g' "$@" | sha256sum
}

step_resnet() {
  profile resnet "${light[@]}" pipeline.ncu.gating_nvtx=false -- \
    "$bin/shallow_resnet" >&2
  status_is 0 $? || return
  check resnet --total 55 '(unattributed)=2/2' 'stem=0/6' 'stem > conv=2/2' \
    'block_0=0/12' 'block_1=0/12' 'block_1 > conv2=4/4' 'block_1 > add=2/2' \
    'head=0/4' 'head > fc=2/2' 'LLM@prefill > LLM@attn=2/2' 'A=1/2' 'B=1/1'
}

step_tiny_llm() {
  python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null || {
    echo "python3 has no PyTorch with CUDA"
    return 77
  }
  profile tiny_llm pipeline.ncu.ncu_cli.set=null \
    'pipeline.ncu.ncu_cli.sections=[SpeedOfLight,Occupancy]' -- \
    python3 "$root/examples/tiny_llm.py" --steps 2 >&2
  status_is 0 $? || return
  check tiny_llm --at-least 50 'prefill > layer_0 > attn=+' \
    'prefill > layer_1 > mlp=+' 'decode_0 > layer_0 > mlp=+' \
    'decode_1 > layer_1 > attn=+' 'decode_1 > lm_head=+'
}

# The captured kernels are reported, and the status is the program's failure.
step_crash() {
  profile crash "${light[@]}" -- "$bin/crash_half_way" >&2
  status_is 3 $? || return
  check crash --total 4 'before=3/3' 'during=1/1'
}

step_no_ranges() {
  profile no_ranges "${light[@]}" -- "$bin/no_ranges" >&2
  status_is 0 $? || return
  [[ -s $out/no_ranges/ncu/regions/report.md ]] || {
    echo "no report.md"
    return 1
  }
  profile no_ranges_all "${light[@]}" pipeline.ncu.gating_nvtx=false -- \
    "$bin/no_ranges" >&2
  status_is 0 $? || return
  check no_ranges_all --total 5 '(unattributed)=5/5'
}

step_no_kernels() {
  profile no_kernels "${light[@]}" -- "$bin/no_kernels" >&2
  status_is 0 $? || return
  check no_kernels --total 0
}

step_ctrl_c() {
  python3 "$here/interrupt.py" "$out/ctrl_c/ncu" \
    "$rangefinder" profile pipeline.ncu.enable=true \
    pipeline.ncu.ncu_cli.clock_control=none hydra.run.dir="$out/ctrl_c" \
    -- "$bin/shallow_resnet" --repeats 500 >&2
  status_is 130 $? || return
  "$rangefinder" report "$out/ctrl_c" >&2
  status_is 0 $? || return
  check ctrl_c --at-least 1 --below 8502
}

step_import_ratio() {
  local report
  report=$(find "$out"/{tiny_llm,nested}/ncu -name '*.ncu-rep' 2>/dev/null |
    head -1)
  [[ -n $report ]] || {
    echo "no report of an earlier step"
    return 77
  }
  timeout -k 10 120 python3 "$here/compare_import.py" "$rangefinder" "$report" \
    "$out" >"$out/import_ratio.json" || {
    echo "compare_import.py failed"
    return 1
  }
  python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
print("{:.1f} MB, against ncu --import: {}".format(r["report_bytes"] / 1e6, ", ".join(
    "{} {} times faster, {} of the memory".format(
        what, r[name]["times_faster"], r[name]["memory_ratio"])
    for what, name in (("csv", "rangefinder_show_csv"), ("json", "rangefinder_show_json"),
                       ("all files", "rangefinder_report")))))
' "$out/import_ratio.json"
}

# ---- Running them -----------------------------------------------------------

failures=0
begin=$SECONDS

# More steps are started only while there is time for them.
budget=${BUDGET:-450}

run_step() {
  local name=$1 start=$EPOCHREALTIME status word finding
  if ((SECONDS - begin > budget)); then
    finding="no time left" status=77
  else
    finding=$("step_$name" 2>"$out/$name.log" | tail -1)
    status=$?  # of the step, by pipefail
  fi
  case $status in
    0) word=ok ;;
    77) word=skip ;;
    *)
      word=FAIL
      ((++failures))
      ;;
  esac
  printf '%-4s %-14s %6.1f s  %s\n' "$word" "$name" \
    "$(python3 -c "print($EPOCHREALTIME - $start)")" "$finding" |
    tee -a "$summary"
  if [[ $word == FAIL ]]; then
    tail -4 "$out/$name.log" | cut -c 1-300 | sed 's/^/       | /'
  fi
}

{
  "$rangefinder" --version
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  ncu --version | tail -1
} | tee -a "$summary"

default_steps='build nested nested_gated report_again resnet tiny_llm crash
  no_ranges no_kernels ctrl_c two_processes import_ratio'
for step in ${STEPS:-$default_steps}; do
  run_step "$step"
done
echo "$failures failed, $((SECONDS - begin)) s" | tee -a "$summary"

# At most 8 files, each small enough to be carried off.
if [[ -n ${RESULTS:-} ]]; then
  mkdir -p "$RESULTS"
  cp "$summary" "$RESULTS/summary.txt"
  cp "$out/import_ratio.json" "$RESULTS/" 2>/dev/null
  for run in nested resnet tiny_llm; do
    for file in report.md report.json; do
      [[ $run != resnet || $file == report.md ]] || continue
      source=$out/$run/ncu/regions/$file
      [[ -f $source ]] || continue
      if (($(stat -c %s "$source") < 8 << 20)); then
        cp "$source" "$RESULTS/$run.$file"
      fi
    done
  done
  (cd "$out" && tail -n 30 ./*.log) >"$RESULTS/logs.txt" 2>/dev/null
fi
exit $((failures > 0))
