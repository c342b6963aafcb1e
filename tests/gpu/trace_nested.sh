#!/bin/bash
# Regions, instances and kernels of a C++ program are what its source says, and
# their time is what Nsight Compute measures.
. "$(dirname "$0")/programs/tracing.sh"
compile trace_nested
out=$work/summary

traced trace "$work/trace" "$work/trace_nested" > "$work/stdout"
check "the program ends as without the tracer" $?
"$summary" "$work/trace" > "$out"
expect "all kernels, 53 of them" "$out" '^kernels: 53$'
expect "A, inner kernels included" "$out" '^A \|.* instances=1 .*kernels=6 '
expect "A / A1" "$out" '^A / A1 \|.* instances=1 .*kernels=3 '
expect "a domain inside another" "$out" \
  '^outer / LLM@prefill \|.* instances=1 .*kernels=4 '
expect "five instances" "$out" '^step \|.* instances=5 .*kernels=10 '
expect "a start/end range" "$out" \
  '^S1 \[start/end\] \|.* instances=1 .*kernels=3 '
expect "one inside the other" "$out" \
  '^S1 \[start/end\] / S2 \[start/end\] \|.* instances=1 .*kernels=2 '
expect "and what is left of it" "$out" '^S2 \[start/end\] \|.*kernels=3 '
expect "a thread" "$out" '^T0 \|.* instances=1 .*kernels=10 '
expect "another thread" "$out" '^T1 \|.* instances=1 .*kernels=11 '
expect "two copies of 1 MiB each, and a set" "$out" \
  '^copies \|.*kernels=1 .*copies=2 bytes=2097152 sets=1'
expect "recursion" "$out" \
  '^recursive / recursive / recursive \|.* instances=1 .*kernels=1 '
expect "a region without a kernel" "$out" '^empty \|.* instances=1 .*kernels=0 '
"${RANGEFINDER:-$build/rangefinder}" show "$work/trace" --format json 2> /dev/null |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["capture"]["devices"])' \
  > "$work/devices"
expect "the GPU has a name" "$work/devices" '0: NVIDIA'
expect_not "every kernel has its launch" "$out" 'unlinked_kernel'
expect_not "nothing is lost" "$out" 'data_loss'

traced regions "$work/regions" "$work/trace_nested" > "$work/stdout"
check "mode regions" $?
"$summary" "$work/regions" > "$work/regions.summary"
expect "regions alone" "$work/regions.summary" '^A / A1 \|.* instances=1 '
expect "and no kernel" "$work/regions.summary" '^kernels: 0$'

traced trace "$work/killed" "$work/trace_nested" killed > "$work/stdout" 2>&1
[ $? -eq 137 ]; check "a killed program stays killed" $?
"$summary" "$work/killed" > "$work/killed.summary"
expect "its kernels but for the last second's are there" \
  "$work/killed.summary" '^kernels: 5[34]$'
expect "and the report says that some may not be" \
  "$work/killed.summary" 'abrupt_end'

traced trace "$work/unfinished" "$work/trace_nested" unfinished > "$work/stdout"
"$summary" "$work/unfinished" > "$work/unfinished.summary"
expect "work still running at the end of main is there" \
  "$work/unfinished.summary" '^kernels: 103$'

# Nsight Compute at the same clocks, caches left alone.
if command -v ncu > /dev/null; then
  ncu --metrics gpu__time_duration.sum --clock-control none \
    --cache-control none --csv --page raw --print-units base \
    "$work/trace_nested" > "$work/ncu.csv" 2> "$work/ncu.err"
  ncu_ms=$(python3 - "$work/ncu.csv" <<'P'
import csv, sys
lines = [l for l in open(sys.argv[1]) if l.startswith('"')]
rows = list(csv.DictReader(lines))[1:]
print('%.4f %d' % (sum(float(r['gpu__time_duration.sum'].replace(',', ''))
                       for r in rows) / 1e6, len(rows)))
P
)
  ours=$(grep -E '^\(all\)' "$out" | grep -oE 'gpu_ms=[0-9.]+' |
    python3 -c 'import sys; print("%.4f" % sum(float(l.split("=")[1]) for l in sys.stdin))')
  echo "gpu time of all kernels: ncu (ms, kernels) $ncu_ms, tracer (ms) $ours"
else
  echo "NOT CHECKED: GPU time against ncu, which is not installed"
fi
done_now "$out"
