#!/usr/bin/env bash
# What sampling costs a PyTorch decode loop on top of the trace, by seconds of a
# generation, interleaved; and what a whole `profile` takes, start and report
# included, beside the bare program. Asserts nothing.
#
#   ROUNDS=12 sample_cost.sh
. "$(dirname "$0")/programs/tracing.sh"
prepare
python3 -c 'import torch, transformers; torch.zeros(1).cuda()' 2> /dev/null ||
  skip "no PyTorch with CUDA and transformers"
steps=64
bench() { python3 "$here/llm_bench.py" plain $steps 3 2> /dev/null; }
for ((round = 0; round < ${ROUNDS:-4}; ++round)); do
  bench | sed 's/^/bare /'
  traced trace "$work/t" python3 "$here/llm_bench.py" plain $steps 3 \
    2> /dev/null | sed 's/^/trace /'
  traced sample "$work/s" python3 "$here/llm_bench.py" plain $steps 3 \
    2> /dev/null | sed 's/^/sample /'
done > "$work/runs"
python3 "$here/medians.py" trace 0 < "$work/runs"
cat "$work/runs"
for ((round = 0; round < 2; ++round)); do
  for what in bare profile; do
    start=$EPOCHREALTIME
    if [ $what = bare ]; then
      bench > /dev/null
    else
      "$rangefinder" profile hydra.run.dir="$work/run$round" -- \
        python3 "$here/llm_bench.py" plain $steps 3 > /dev/null 2>&1
    fi
    python3 -c "print('whole $what: %.2f s' % ($EPOCHREALTIME - $start))"
  done
done
"$summary" "$work/s" | grep -E '^samples|^  times' | cut -c1-300
exit 0
