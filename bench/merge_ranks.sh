#!/bin/bash
# Time and peak memory on two cores: merging and reporting the summaries of many
# ranks, and summarizing one rank of a million launches. Targets: 60 s and 1 GB for
# 10,000 ranks of 1,000 regions; 3 s and a file of 2 MB for the summary.
#   bench/merge_ranks.sh [RANKS...]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${RANGEFINDER_BUILD:-$root/build/release}
rangefinder=${RANGEFINDER:-$build/rangefinder}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

measure() {
  python3 - taskset -c 0,1 "$@" << 'P'
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
seconds = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"  {sys.argv[5]}: {seconds:.2f} s, {usage.ru_utime:.2f} s user, "
      f"{usage.ru_stime:.2f} s system, {usage.ru_maxrss / 1024:.0f} MiB "
      f"resident, mapped files included")
P
}

[ $# -gt 0 ] || set -- 1000 10000
for ranks in "$@"; do
  "$build/many_summaries" "$folder/ranks" "$ranks" 1000 > "$folder/truth"
  echo "$ranks ranks of 1,000 regions, $(du -sh "$folder/ranks" | cut -f 1)"
  measure "$rangefinder" merge "@$folder/ranks/list" -o "$folder/all.rfsum"
  ls -l "$folder/all.rfsum" | awk '{ print "  " $5, "bytes" }'
  measure "$rangefinder" report "$folder/all.rfsum" --quiet \
    hydra.run.dir="$folder/report"
  python3 - "$folder/truth" "$folder"/report/ncu/regions/report.json << 'P'
import json, sys
truth, report = (json.load(open(path)) for path in sys.argv[1:])
totals = report["scopes"][0]["totals"]
for key, value in truth.items():
    assert totals[key] == value, (key, totals[key], value)
print("  the totals of the report are correct")
P
  rm -rf "$folder/ranks" "$folder/report"
done

mkdir -p "$folder/run/trace"
python3 - << 'P' | "$build/trace_from_text" > "$folder/run/trace/a.rftrace"
import random
random.seed(1)
print("process pid=7 rank=0\ngpu 0 NVIDIA_H200")
at = 10
kernels = []
for step in range(1000):
    print(f"{at} push step")
    for layer in range(100):
        print(f"{at} push layer_{chr(97 + layer // 10)}{chr(97 + layer % 10)}")
        for launch in range(10):
            number = len(kernels) + 1
            print(f"{at} launch {number}")
            name = "ncclDevKernel_AllReduce" if launch == 9 else \
                f"kernel_{launch}"
            start = at + random.randint(3, 9)
            kernels.append(f"kernel {name} {start}-"
                           f"{start + random.randint(1, 40)} of={number}")
            at += random.randint(10, 60)
        print(f"{at} pop")
    print(f"{at} pop")
print("\n".join(kernels))
P
echo "a rank of 1,000,000 launches"
measure "$rangefinder" summarize "$folder/run" -o "$folder/one.rfsum"
ls -l "$folder/one.rfsum" | awk '{ print "  " $5, "bytes" }'
