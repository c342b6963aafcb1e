#!/usr/bin/env bash
# The default set of counters on a real GPU (Hopper or Blackwell): it is the wide
# one, loses less than 1 % of the samples, and its counters and derived metrics are
# right in regions whose counters are known: against exact counts in place, and
# against the programs' own arithmetic (programs/pipes.cu). Prints every value.
# About 40 s.
#
#   RANGEFINDER=... RANGEFINDER_INJECT_LIBRARY=... OUT=... wide_counters.sh
. "$(dirname "${BASH_SOURCE[0]}")/programs/machine.sh"
set -uo pipefail
need nvcc python3
prepare

nvcc -O2 -std=c++17 -arch=native -o "$out/pipes" "$here/programs/pipes.cu" -ldl ||
  skip "nvcc could not build pipes.cu"

run() {  # run NAME KEY=VALUE...
  local name=$1
  shift
  "$rangefinder" profile hydra.run.dir="$out/$name" report.formats=[json,md] \
    report.format.metrics=all "$@" -- "$out/pipes" 150 \
    > "$out/$name.table" 2> "$out/$name.err" ||
    { echo "FAILED  $name:"; tail -20 "$out/$name.err"; exit 1; }
}

run wide
run l1 profiling/counters@pipeline.counters=counters.l1
counted=sm__inst_executed.sum,sm__inst_executed_pipe_fma.sum,sm__inst_executed_pipe_alu.sum
counted+=,sm__inst_executed_pipe_xu.sum,smsp__thread_inst_executed_pred_on.sum
counted+=,sm__warps_active.sum,sm__cycles_active.sum,sm__pipe_fp64_cycles_active.sum
counted+=,sm__pipe_tensor_cycles_active.sum,l1tex__data_pipe_lsu_wavefronts.sum
counted+=,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
counted+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
run counted pipeline.counters.mode=count pipeline.counters.budget=3s "pipeline.counters.metrics=[$counted]"
cat "$out/wide.table"

python3 "$here/programs/check_pipes.py" "$out/wide" "$out/l1" "$out/counted"
