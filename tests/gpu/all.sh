#!/usr/bin/env bash
# Every check of this folder that passes or fails, one after the other: a line
# for each, its output where it failed. What only measures (trace_overhead_*,
# trace_tune, probe_*) is not among them. Takes about ten minutes; with two GPUs
# the ranks' scripts run, too.
#
#   all.sh [NAME...]            those alone: rollup_modes torchrun_nccl
#   RANGEFINDER, RANGEFINDER_INJECT_LIBRARY, RANGEFINDER_BUILD, OUT as they have it
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
names=("$@")
((${#names[@]})) || names=(counters_tried profile_all profile_flow range_modes rollup_captures
  rollup_modes rollup_inputs nvtx_filter_table kernels_workflow trace_nested
  sample_raw sample_devices count_regions count_profile
  trace_graphs graph_capture thread_placing trace_processes trace_torch trace_vs_ncu trace_torchrun
  torchrun_nccl ranks_nccl estimates diff)
failed=0
for name in "${names[@]}"; do
  start=$SECONDS
  OUT=$out/$name bash "$here/$name.sh" > "$out/$name.out" 2>&1
  case $? in
    0) word=ok ;;
    77) word="skip: $(grep -im1 skip "$out/$name.out")" ;;
    *) word=FAIL failed=$((failed + 1)) ;;
  esac
  printf '%-20s %4d s  %s\n' "$name" $((SECONDS - start)) "$word"
  [[ $word != FAIL ]] || tail -25 "$out/$name.out" | sed 's/^/    | /'
done
echo "$failed of ${#names[@]} failed; outputs in $out"
exit $((failed > 0))
