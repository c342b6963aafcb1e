#!/usr/bin/env bash
# Runs every check of this folder, one after the other: a line for each, the
# parts that it did not check, and the output of those that fail. Takes about ten minutes; with two GPUs the scripts
# of several ranks run, too, and with four that of a grid of ranks. Scripts that only
# measure are in bench/gpu.
#
#   all.sh [NAME...]            only these: rollup_modes torchrun_nccl
#   RANGEFINDER, RANGEFINDER_INJECT_LIBRARY, RANGEFINDER_BUILD, OUT: see a script
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
names=("$@")
((${#names[@]})) || names=(counters_tried profile_all profile_flow range_modes rollup_captures
  rollup_modes rollup_inputs nvtx_filter_table kernels_workflow trace_nested trace_calls
  sample_raw sample_devices copies tracer_work wide_counters count_regions count_profile
  trace_graphs kernel_sources graph_capture windows thread_placing trace_processes trace_torch trace_vs_ncu trace_torchrun
  torchrun_nccl ranks_nccl grid_nccl estimates token_costs diff documented_lines)
failed=0 skipped=0
for name in "${names[@]}"; do
  start=$SECONDS
  OUT=$out/$name bash "$here/$name.sh" > "$out/$name.out" 2>&1
  case $? in
    0) word=ok ;;
    77) word=$(grep -im1 skip "$out/$name.out") skipped=$((skipped + 1)) ;;
    *) word=FAIL failed=$((failed + 1)) ;;
  esac
  printf '%-20s %4d s  %s\n' "$name" $((SECONDS - start)) "$word"
  grep -E '^(NOT CHECKED:|skip )' "$out/$name.out" | sed 's/^/    | /'
  [[ $word != FAIL ]] || tail -25 "$out/$name.out" | sed 's/^/    | /'
done
echo "$failed of ${#names[@]} failed, $skipped skipped; outputs in $out"
exit $((failed > 0))
