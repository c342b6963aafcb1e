#!/bin/bash
# Calls of CUDA are recorded once each, with durations; copies with their
# memories; and migrations of managed memory.
. "$(dirname "$0")/programs/tracing.sh"
compile trace_calls
out=$work/summary

RANGEFINDER_INJECT_API=launches traced trace "$work/trace" "$work/trace_calls" \
  > "$work/stdout"
check "the program ends as without the tracer" $?
"$summary" "$work/trace" > "$out"
grep -E '^(fact|call|copy|migration|launched):' "$out"
calls() {  # calls WHAT NUMBER
  expect "$2 times $1" "$out" "^call: $1 \| count=$2 "
}
expect "the trace says what was timed" "$out" '^fact: api=launches$'
calls "allocate cudaMalloc" 5
expect "1 time memory of the host" "$out" '^call: allocate cuda(MallocHost|HostAlloc) \| count=1 '
calls "allocate cudaMallocManaged" 1
calls "synchronise cudaStreamSynchronize" 10
calls "synchronise cudaDeviceSynchronize" 2
calls "synchronise cudaMemcpy" 3
calls "allocate cuMemAlloc" 2
calls "allocate cuMemFree" 2
calls "synchronise cuCtxSynchronize" 2
expect_not "a driver's call inside the runtime's has no record" "$out" \
  '^call: (synchronise cuStreamSynchronize|synchronise cuMemcpy|allocate cuMemAllocManaged)'
expect "something was loaded" "$out" '^call: load cuLibrary'
calls "load cuInit" 1
loading=$("${RANGEFINDER:-$build/rangefinder}" show --format json "$work/trace" | python3 -c '
import json, sys
for region in json.load(sys.stdin)["scopes"][0]["regions"]:
    if region["name"] == "initialise":
        wall = region["times"]["wall_ns"]
        print(round(100 * wall["loading"] / sum(wall.values())))')
[ "${loading:-0}" -ge 90 ]
check "initialising CUDA is loading (${loading:-not known} % of its time)" $?
expect "kernels: 12 launches, each with an end" "$out" '^launched: kernel \| count=12 '
expect "copies, as well" "$out" '^launched: copy \| count=6 '
expect "from pageable memory" "$out" '^copy: kind=1 from=1 to=3 \| count=3 '
expect "from pinned memory" "$out" '^copy: kind=1 from=2 to=3 \| count=2 '
expect "to pageable memory" "$out" '^copy: kind=2 from=3 to=1 \| count=1 '
expect "pages to the device" "$out" '^migration: counter=1 '
expect "pages to the host" "$out" '^migration: counter=2 '
wait_ms=$(sed -n 's/^call: synchronise cudaStreamSynchronize .*ms=\([0-9.]*\).*/\1/p' "$out")
kernel_ms=$(sed -n 's/^wait |.* gpu_ms=\([0-9.]*\).*/\1/p' "$out")
awk -v a="$wait_ms" -v b="$kernel_ms" 'BEGIN { exit !(a > 0.8 * b && a < 1.5 * b) }'
check "waiting ($wait_ms ms) takes as long as the kernels ($kernel_ms ms)" $?
expect_not "nothing is lost" "$out" 'data_loss'

for api in calls none; do
  RANGEFINDER_INJECT_API=$api traced trace "$work/$api" "$work/trace_calls" > "$work/stdout"
  check "the program ends with $api" $?
  "$summary" "$work/$api" > "$work/$api.summary"
  expect "the trace says $api" "$work/$api.summary" "^fact: api=$api\$"
  expect_not "no launch has an end with $api" "$work/$api.summary" '^launched:'
done
expect "calls alone" "$work/calls.summary" \
  '^call: synchronise cudaStreamSynchronize \| count=10 '
expect_not "nothing timed" "$work/none.summary" '^(call|migration):'
done_now "$out"
