#!/bin/bash
# Time and peak memory of writing all files of the report of a long sampled run.
# Target on two cores: 10 s and 2 GB for 1 million launches, 100,000 samples, 2,000
# groups and 8 metrics.
#   bench/sampled_report.sh [LAUNCHES GROUPS]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${RANGEFINDER_BUILD:-$root/build/release}
rangefinder=${RANGEFINDER:-$build/rangefinder}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/trace"
python3 "$root/bench/sampled_program.py" "${1:-1000000}" "${2:-2000}" |
  "$build/trace_from_text" > "$folder/trace/sampled.rftrace"
ls -l "$folder/trace/sampled.rftrace" | awk '{ print $5, "bytes of trace" }'
for run in 1 2 3; do
  python3 - taskset -c 0,1 "$rangefinder" report "$folder" --quiet << 'P'
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
seconds = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{seconds:.2f} s, {usage.ru_utime:.2f} s user, {usage.ru_stime:.2f} s "
      f"system, {usage.ru_maxrss / 1024:.0f} MiB resident, the mapped file "
      f"included")
P
done
du -sh "$folder/ncu" | awk '{ print $1, "written" }'
