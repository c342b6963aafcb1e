#!/bin/bash
# The cost of tracing a PyTorch decode loop: bare, regions, trace, torch.profiler
# and Proton, interleaved; and in one process, with the tracer at work and paused.
bench=$(cd "$(dirname "$0")" && pwd)
. "$bench/../../tests/gpu/programs/tracing.sh"
python3 -c 'import torch, transformers; torch.zeros(1).cuda()' 2> /dev/null ||
  skip "no PyTorch with CUDA and transformers"
steps=64
rounds=${ROUNDS:-2}
generations=6
bench() { python3 "$here/llm_bench.py" "$1" $steps $generations 2> /dev/null; }
for ((round = 0; round < rounds; ++round)); do
  bench plain | sed 's/^/bare /'
  traced regions "$work/t" python3 "$here/llm_bench.py" plain $steps \
    $generations 2> /dev/null | sed 's/^/regions /'
  traced trace "$work/t" python3 "$here/llm_bench.py" plain $steps \
    $generations 2> /dev/null | sed 's/^/trace /'
  bench torchprof | sed 's/^/torch.profiler /'
  bench proton | sed 's/^/Proton /'
  bench plain | sed 's/^/bare /'
  traced trace "$work/t" python3 "$here/llm_bench.py" plain $steps \
    $generations 2> /dev/null | sed 's/^/trace /'
done > "$work/runs"
python3 "$bench/medians.py" bare 0 < "$work/runs"
for ((round = 0; round < rounds; ++round)); do
  RANGEFINDER_INJECT_TUNE=pausable=1 traced trace "$work/t" \
    python3 "$here/llm_bench.py" paired $steps 8 2> /dev/null
done > "$work/paired"
echo "one process, the tracer paused and at work:"
python3 "$bench/medians.py" paused 22800 < "$work/paired"
cat "$work/runs"
"$summary" "$work/t" | grep -E '^(prefill|decode|\(all\)|kernels|note)' |
  cut -c1-170 | head -12
ls -l "$work/t" | tail -1
