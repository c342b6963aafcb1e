#!/usr/bin/env bash
# The cost of sampling, and of counting every 8th step exactly, on top of the trace:
# seconds of a generation of a PyTorch decode loop, in interleaved runs. Then the
# seconds of a whole `profile`, start and report included, and of the bare program.
#
#   ROUNDS=12 GENERATIONS=5 STEPS=64 sample_cost.sh
bench=$(cd "$(dirname "$0")" && pwd)
. "$bench/../../tests/gpu/programs/tracing.sh"
prepare
python3 -c 'import torch, transformers; torch.zeros(1).cuda()' 2> /dev/null ||
  skip "no PyTorch with CUDA and transformers"
steps=${STEPS:-64}
generations=${GENERATIONS:-5}
printf 'rangefinder-count\t1\nrow\t2\t8\t0\t0\t1\twhole\t\tdecode\n' > "$work/plan"
six=sm__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum
six=$six,sm__cycles_active.avg,lts__t_sectors.sum
six=$six,sm__pipe_tensor_cycles_active.avg
RANGEFINDER_INJECT_LIBRARY=$library RANGEFINDER_INJECT_METRICS=$six \
  RANGEFINDER_INJECT_COUNT_PLAN=$work/plan \
  python3 "$bench/rounds.py" "${ROUNDS:-12}" "$work" bare,trace,sample,count \
  "$here/llm_bench.py" plain "$steps" "$generations" 2> "$work/errors" |
  tee "$out/cost.runs"
tail -3 "$work/errors"
for base in bare trace; do python3 "$bench/medians.py" $base 0 < "$out/cost.runs"; done
for ((round = 0; round < ${WHOLE:-2}; ++round)); do
  for what in bare profile; do
    start=$EPOCHREALTIME
    if [ $what = bare ]; then
      python3 "$here/llm_bench.py" plain "$steps" 3 > /dev/null 2>&1
    else
      "$rangefinder" profile hydra.run.dir="$work/run$round" -- \
        python3 "$here/llm_bench.py" plain "$steps" 3 > /dev/null 2>&1
    fi
    python3 -c "print('whole $what: %.2f s' % ($EPOCHREALTIME - $start))"
  done
done
"$summary" "$work/sample" | grep -E '^samples|^  times' | cut -c1-300
"$summary" "$work/count" | grep -E '^count' | cut -c1-300
