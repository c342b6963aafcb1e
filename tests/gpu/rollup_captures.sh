#!/bin/bash
# Records what tests/captures compares: ratios with their inputs, and the same
# regions measured kernel by kernel and as a whole. Leaves *.ncu-rep in $OUT.
#
#   OUT=out [RATIOS=metrics.txt] tests/gpu/rollup_captures.sh
#
# RATIOS names a file with the metrics of the first capture, one a line; without
# it they are asked of tools/metric_facts/ratio_metrics.sh. Without OUT the
# captures are made and thrown away.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
ncu=$(command -v ncu || ls /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -1)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[[ -x $ncu && -x $nvcc ]] || { echo "skip: no ncu or no nvcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${OUT:-$work/out}
mkdir -p "$out"
if [[ -z ${RATIOS:-} ]]; then
  RATIOS=$work/ratios.txt
  "$root/tools/metric_facts/ratio_metrics.sh" > "$RATIOS"
fi
failed=0

for source in tests/gpu/programs/rollup_mix examples/nested_regions \
    examples/shallow_resnet; do
  "$nvcc" -arch=native -O2 -std=c++17 -o "$work/$(basename $source)" \
      "$root/$source.cu" -ldl || exit 1
done

common=(--clock-control none --nvtx -f)
counters=gpu__time_duration.sum,smsp__inst_executed.sum,smsp__inst_executed.avg
counters+=,smsp__inst_executed.avg.per_cycle_elapsed,smsp__cycles_elapsed.avg
counters+=,sm__inst_executed.avg.pct_of_peak_sustained_elapsed
counters+=,sm__cycles_elapsed.avg,smsp__inst_executed_op_branch.sum
counters+=,smsp__warps_launched.sum,gr__ctas_launched.sum
counters+=,smsp__thread_inst_executed.sum
counters+=,smsp__thread_inst_executed_per_inst_executed.ratio
counters+=,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
counters+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
counters+=,lts__t_sectors.sum,lts__t_sectors_lookup_hit.sum,dram__bytes.sum

step() {  # NAME ARG...
  local name=$1; shift
  local begin=$SECONDS
  "$ncu" "${common[@]}" "$@" > "$out/$name.log" 2>&1
  local status=$?
  [[ $status == 0 ]] || failed=1
  echo "$name: status $status, $((SECONDS - begin)) s"
}

step ratios --cache-control all --metrics "$(paste -sd, "$RATIOS")" \
    -o "$out/ratios" "$work/rollup_mix"

includes() {  # RANGE...
  local range
  for range; do printf -- '--nvtx-include\n%s/\n' "$range"; done
}
mapfile -t mix < <(includes copy gather shared atomics divergent half double \
    tensor spill)
mapfile -t nested < <(includes A B)
mapfile -t resnet < <(includes stem block_0 block_1 head)
both() {  # NAME PROGRAM INCLUDE...
  local name=$1 program=$2; shift 2
  step "$name.kernel" --cache-control none --metrics "$counters" \
      -o "$out/$name.kernel" "$program"
  step "$name.range" --cache-control none --metrics "$counters" \
      --replay-mode app-range "$@" -o "$out/$name.range" "$program"
}
both mix "$work/rollup_mix" "${mix[@]}"
both nested "$work/nested_regions" "${nested[@]}"
both resnet "$work/shallow_resnet" "${resnet[@]}"
# One archive: fewer files to carry back.
tar -C "$out" -czf "$work/rollup.tar.gz" . && mv "$work/rollup.tar.gz" "$out"
ls -la "$out"
exit $failed
