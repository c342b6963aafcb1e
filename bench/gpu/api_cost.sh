#!/bin/bash
# The cost of timing CUDA calls (pipeline.trace.api): a launch-bound C++
# program and, where PyTorch is, a decode loop, with `none`, `calls` and
# `launches` in turn, forth and back, for SECONDS each. Ratios are to `none`.
bench=$(cd "$(dirname "$0")" && pwd)
. "$bench/../../tests/gpu/programs/tracing.sh"
compile trace_launches
kernels=${KERNELS:-100000}
seconds=${SECONDS_EACH:-22}
modes=(none calls launches)
back=(launches calls none)
until=$((SECONDS + seconds))
while [ $SECONDS -lt $until ]; do
  for mode in "${modes[@]}" "${back[@]}"; do
    RANGEFINDER_INJECT_API=$mode traced trace "$work/$mode" \
      "$work/trace_launches" 4 $kernels 2> /dev/null | sed "s/^/$mode /"
  done
done > "$work/launched.txt"
echo "launch-bound C++ program, $kernels kernels a segment:"
python3 "$bench/medians.py" none $kernels < "$work/launched.txt"
for mode in "${modes[@]}"; do
  du -b "$work/$mode"/*.rftrace |
    awk -v mode=$mode -v n=$((4 * kernels)) \
      '{ printf "%-10s %5.1f bytes a kernel\n", mode, $1 / n }'
done
python3 -c 'import torch, transformers' 2> /dev/null ||
  { echo "no PyTorch with transformers: no decode loop"; exit 0; }
cp "$bench/llm_tune.py" "$here/llm_bench.py" "$work"
timeout 60 python3 "$work/llm_tune.py" "$library" "$work/t" "$seconds" 64 4 \
  none=api=none calls=api=calls launches=api=launches > "$work/decode"
echo "decode loop, 64 steps a generation, 22,800 launches:"
python3 "$bench/medians.py" none 22800 < "$work/decode"
