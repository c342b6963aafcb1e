#!/bin/bash
# The kernels of a CUDA graph belong to the launch of the graph.
. "$(dirname "$0")/programs/tracing.sh"
compile trace_nested
out=$work/summary
traced trace "$work/trace" "$work/trace_nested" graphs > "$work/stdout"
check "the program ends as without the tracer" $?
"$summary" "$work/trace" > "$out"
expect "three replays of six kernels" "$out" \
  '^replay \|.* instances=3 .*kernels=18 '
expect "the capture launched none" "$out" \
  '^capture \|.* instances=1 .*kernels=0 '
expect "all kernels" "$out" '^kernels: 18$'
expect_not "every kernel has its launch" "$out" 'unlinked_kernel'
done_now "$out"
