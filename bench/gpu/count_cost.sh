#!/usr/bin/env bash
# Where the cost of counting every 8th step of a PyTorch decode loop comes from:
# bare; with the range profiler started and nothing counted (but one instance,
# before the first generation that is timed); with every 8th step counted; both
# without CUPTI's callbacks for captures and resets as well. Seconds of a
# generation in interleaved runs.
#
#   ROUNDS=5 GENERATIONS=5 STEPS=64 count_cost.sh
#   MODES=bare,regions,count:sixtyfourth,count:sixteenth count_cost.sh
bench=$(cd "$(dirname "$0")" && pwd)
. "$bench/../../tests/gpu/programs/tracing.sh"
prepare
need_torch transformers
plan() {  # NAME SKIP STRIDE MOST
  printf 'rangefinder-count\t1\nrow\t%s\t%s\t%s\t0\t1\twhole\t\tdecode\n' \
    "$2" "$3" "$4" > "$work/$1.plan"
}
plan one 0 1 1
plan sixtyfourth 2 64 0
plan sixteenth 2 16 0
plan eighth 2 8 0
six=sm__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum
six=$six,sm__cycles_active.avg,lts__t_sectors.sum
six=$six,sm__pipe_tensor_cycles_active.avg
modes=${MODES:-bare,count:one,count:one:watch=0,count:eighth,count:eighth:watch=0}
RANGEFINDER_INJECT_LIBRARY=$library RANGEFINDER_INJECT_METRICS=$six \
  python3 "$bench/rounds.py" "${ROUNDS:-5}" "$work" $modes \
  "$here/llm_bench.py" plain "${STEPS:-64}" "${GENERATIONS:-5}" \
  2> "$work/errors" | tee "$out/count_cost.runs"
tail -3 "$work/errors"
for base in bare count:one; do
  python3 "$bench/medians.py" $base 0 < "$out/count_cost.runs"
done
if [ -d "$work/count:eighth" ]; then
  "$summary" "$work/count:eighth" | grep -E '^count' | cut -c1-300
fi
