#!/bin/bash
# PyTorch: nested ranges, autograd's threads, CUDA graphs, and PyTorch's own
# profiler in a program that is traced already.
. "$(dirname "$0")/programs/tracing.sh"
need_torch
out=$work/summary
traced trace "$work/trace" python3 "$here/torch_ranges.py" \
  > "$work/stdout" 2> "$work/stderr"
check "the program ends as without the tracer" $?
"$summary" "$work/trace" > "$out"
expect "the forward pass: four instances with kernels" "$out" \
  '^step / forward \|.* instances=4 .*kernels=[1-9]'
expect "the optimizer" "$out" \
  '^step / optimizer \|.* instances=4 .*kernels=[1-9]'
expect "five replays of a graph, with kernels" "$out" \
  '^replay \|.* instances=5 .*kernels=[1-9]'
expect_not "every kernel has its launch" "$out" 'unlinked_kernel'
expect_not "nothing is lost" "$out" 'data_loss'
grep -E '^(step|replay|\(all\)|kernels|note)' "$out" | cut -c1-180 | head -20

python3 -c 'import transformers' 2> /dev/null || done_now "$out"
traced trace "$work/both" python3 "$here/llm_bench.py" torchprof 8 1 \
  > "$work/stdout" 2> "$work/stderr"
check "with PyTorch's profiler on as well, the program ends normally" $?
"$summary" "$work/both" > "$work/both.summary"
expect "and is traced" "$work/both.summary" \
  '^decode \|.* instances=16 .*kernels=[1-9]'
expect "layers inside" "$work/both.summary" \
  '^decode / layer7.mlp \|.* instances=16 .*kernels=[1-9]'
done_now "$work/both.summary"
