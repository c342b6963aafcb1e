#!/bin/bash
# Two processes on one device: a trace each.
. "$(dirname "$0")/programs/tracing.sh"
compile trace_nested
out=$work/summary
traced trace "$work/trace" "$work/trace_nested" processes > "$work/stdout"
check "the program ends as without the tracer" $?
"$summary" "$work/trace" > "$out"
expect "all kernels of both" "$out" '^kernels: 106$'
[ "$(grep -cE '^A / A1 \|.*kernels=3 ' "$out")" -eq 2 ]
check "A / A1 in each of the two" $?
[ "$(grep -oE 'pid=[0-9]+' "$out" | sort -u | wc -l)" -eq 2 ]
check "two processes" $?
done_now "$out"
