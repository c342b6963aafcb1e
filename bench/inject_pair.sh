#!/bin/bash
# The cost of an empty push/pop pair: without a tool, under the tracer by either
# clock, and with names that are never the same. Needs a release build.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${RANGEFINDER_BUILD:-$root/build/release}
library=$(readlink -f "$build/librangefinder_inject.so")
program=$build/inject_pair
[ -f "$library" ] && [ -x "$program" ] ||
  { echo "build the targets rangefinder_inject and inject_pair first"; exit 77; }
folder=$(mktemp -d "${TRACE_PARENT:-/tmp}/inject_pair.XXXXXX")
trap 'rm -rf "$folder"' EXIT
pairs=${PAIRS:-2000000}

traced() {
  rm -f "$folder"/*
  NVTX_INJECTION64_PATH=$library RANGEFINDER_INJECT_DIR=$folder "$@"
}
for round in 1 2 3; do
  "$program" "no tool" $pairs
  traced "$program" "traced" $pairs
  RANGEFINDER_INJECT_CLOCK=realtime traced "$program" "traced, realtime" $pairs
done
traced "$program" "size" 1000000 > /dev/null
du -b "$folder"/*.rftrace |
  awk '{ printf "bytes a pair, all kinds of calls together: %.1f\n", $1 / 3e6 }'
