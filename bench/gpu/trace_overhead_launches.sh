#!/bin/bash
# The cost of tracing a launch-bound C++ program, side by side: bare, regions,
# trace; and where the cost of a trace comes from. `no-launches` leaves out our
# callbacks: the floor that CUPTI itself sets.
bench=$(cd "$(dirname "$0")" && pwd)
. "$bench/../../tests/gpu/programs/tracing.sh"
compile trace_launches
kernels=${KERNELS:-200000}
rounds=${ROUNDS:-3}  # of the first table, with a process for each row
paired=${PAIRED:-3}  # processes whose tracer pauses and traces in turn
one() {  # one NAME COMMAND...
  local name=$1
  shift
  "$@" "$work/trace_launches" 4 $kernels 2> /dev/null | sed "s/^/$name /"
}
bare() { "$@"; }
regions() { traced regions "$work/t" "$@"; }
trace() { traced trace "$work/t" "$@"; }
unflushed() { RANGEFINDER_INJECT_FLUSH_MS=0 traced trace "$work/t" "$@"; }
floor() { RANGEFINDER_INJECT_TUNE=launches=none traced trace "$work/t" "$@"; }
for ((round = 0; round < rounds; ++round)); do
  one bare bare
  one regions regions
  one trace trace
  one trace-no-flush unflushed
  one no-launches floor
done > "$work/runs"
[ "$rounds" = 0 ] || python3 "$bench/medians.py" bare $kernels < "$work/runs"
for ((round = 0; round < paired; ++round)); do
  RANGEFINDER_INJECT_TUNE=pausable=1 traced trace "$work/t" \
    "$work/trace_launches" 6 $kernels paired 2> /dev/null
done > "$work/paired"
echo "one process, the tracer paused and at work (while attached):"
python3 "$bench/medians.py" paused $kernels < "$work/paired"
rm -rf "$work/t"
traced trace "$work/t" "$work/trace_launches" 1 $kernels > /dev/null
du -b "$work/t"/* | awk -v n=$kernels \
  '{ printf "trace file: %d bytes, %.1f a kernel\n", $1, $1 / n }'
"$summary" "$work/t" | cut -c1-200
