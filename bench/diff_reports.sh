#!/bin/bash
# Time and memory of `show`, `report` and `diff` for runs of many regions: `diff` of
# traces, summaries and report.json, and of five runs per side. Targets:
# - 10,000 regions with 10 launches each: `diff` of two runs in 2 s;
# - 100,000 regions with one launch each: `report` in 3 s, with 3 kB of report.json per
#   region, and `diff` of two report.json in 5 s, each in 500 MB.
#   bench/diff_reports.sh [REGIONS [LAUNCHES]]     10000 10
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${RANGEFINDER_BUILD:-$root/build/release}
rangefinder=${RANGEFINDER:-$build/rangefinder}
regions=${1:-10000} launches=${2:-10}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

measure() {  # WHAT COMMAND...
  python3 - "$@" << 'P'
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL,
               stderr=subprocess.DEVNULL, check=True)
seconds = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]:<36} {seconds:6.2f} s  {usage.ru_utime:6.2f} s user  "
      f"{usage.ru_maxrss / 1024:6.0f} MiB")
P
}

for run in $(seq ${RUNS:-10}); do
  python3 - $run $regions $launches << 'P' | "$build/trace_from_text" > "$folder/$run.rftrace"
import random, sys
run, regions, launches = map(int, sys.argv[1:])
random.seed(run)
print("process pid=7\ngpu 0 NVIDIA_H200")
at = 10
kernels = []

def name(number):  # without digits: names that differ by a number would merge
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:05}")

for outer in range(regions // 100):
    print(f"{at} push o_{name(outer)}")
    for inner in range(99):
        print(f"{at} push i_{name(inner)}")
        for launch in range(launches):
            number = len(kernels) + 1
            print(f"{at} launch {number}")
            ns = round(2000 * random.lognormvariate(0, 0.02))
            kernels.append(f"kernel kernel_{name(launch)} {at + 5}-"
                           f"{at + 5 + ns} of={number}")
            at += 100 + ns
        print(f"{at} pop")
    print(f"{at} pop")
print("\n".join(kernels))
P
done
cd "$folder"
for run in 1 2; do
  "$rangefinder" summarize $run.rftrace -o $run.rfsum 2> err
  "$rangefinder" show $run.rftrace --format json > $run.json 2> err
done
measure "show of one trace" "$rangefinder" show 1.rftrace
measure "report of one trace" "$rangefinder" report 1.rftrace -o report
stat -c '%s %n' report/ncu/regions/report.json |
  awk -v regions="$regions" '{ printf "%s: %.0f bytes a region\n", $2, $1 / regions }'
for format in rftrace rfsum json; do
  measure "diff of two, .$format" "$rangefinder" diff 1.$format 2.$format
done
measure "diff of two traces, --format json" \
  "$rangefinder" diff --format json 1.rftrace 2.rftrace
measure "diff of two traces, --format html" \
  "$rangefinder" diff --format html 1.rftrace 2.rftrace
measure "diff of five traces a side" "$rangefinder" diff \
  1.rftrace,2.rftrace,3.rftrace,4.rftrace,5.rftrace \
  6.rftrace,7.rftrace,8.rftrace,9.rftrace,10.rftrace
