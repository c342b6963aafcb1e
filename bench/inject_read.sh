#!/bin/bash
# A trace of ten million events as a profile: time and memory of reading it.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${RANGEFINDER_BUILD:-$root/build/release}
library=$(readlink -f "$build/librangefinder_inject.so")
summary=$build/rangefinder_trace_summary
program=$build/inject_ranges
[ -f "$library" ] && [ -x "$summary" ] && [ -x "$program" ] ||
  { echo "build rangefinder_inject, rangefinder_trace_summary and" \
         "inject_ranges first"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
NVTX_INJECTION64_PATH=$library RANGEFINDER_INJECT_DIR=$folder \
  "$program" pairs 2500000
ls -l "$folder"/*.rftrace | awk '{ print $5, "bytes, 10000000 events" }'
for run in 1 2 3; do
  python3 - "$summary" "$folder" << 'P'
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
seconds = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{seconds:.3f} s, {usage.ru_utime:.3f} s of CPU, "
      f"{usage.ru_maxrss / 1024:.0f} MiB resident, the mapped file included")
P
done
