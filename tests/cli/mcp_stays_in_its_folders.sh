#!/bin/bash
# Hostile clients: every line gets its answer, no file outside of the folders is
# read, and nothing runs without --allow-run.
. "$(dirname "$0")/common.sh"
trace=$source_dir/tests/exam/traces/one_block.rftrace.zst
mkdir served outside
cp "$trace" served/run.rftrace.zst
cp "$trace" outside/run.rftrace.zst
needs_tracer
timeout 300 python3 "$source_dir/tests/mcp/hostile.py" "$rangefinder" "$t/served" "$t/outside" \
  > out 2> err
has out bad_lines versions wrong_arguments paths cancelling running
[ ! -e obeyed ]

status 2 "$rangefinder" mcp 2> err
has err "FOLDER"
status 2 "$rangefinder" mcp nowhere 2> err
has err "nowhere: is no folder"
