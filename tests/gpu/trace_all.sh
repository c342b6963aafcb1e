#!/bin/bash
# All scripts of the tracer, one after the other; each has three minutes.
# TRACE_ONLY="nested graphs" runs those alone.
cd "$(dirname "$0")" || exit 1
status=0
for name in ${TRACE_ONLY:-nested graphs processes torch torchrun}; do
  echo "=== trace_$name"
  start=$SECONDS
  timeout 180 bash "trace_$name.sh" 2>&1
  code=$?
  echo "=== trace_$name: status $code, $((SECONDS - start)) s"
  [ $code -eq 0 ] || [ $code -eq 77 ] || status=1
done
exit $status
