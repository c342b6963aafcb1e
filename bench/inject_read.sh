#!/bin/bash
# The cost of `show` for two traces of ten million events: time, memory and, if
# perf can count them, instructions. One trace has ranges alone; the other has
# launches and kernels too, from a stand-in for CUPTI, so no GPU is needed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${RANGEFINDER_BUILD:-$root/build/release}
library=$(readlink -f "$build/librangefinder_inject.so")
rangefinder=$build/rangefinder
program=$build/inject_ranges
[ -f "$library" ] && [ -x "$rangefinder" ] && [ -x "$program" ] ||
  { echo "build rangefinder, rangefinder_inject, inject_ranges and" \
         "inject_fake_cupti first"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export NVTX_INJECTION64_PATH=$library CUDA_INJECTION64_PATH=$library
export RANGEFINDER_CUPTI_PATH=$build/libinject_fake_cupti.so
mkdir "$folder/ranges" "$folder/kernels"
RANGEFINDER_INJECT_DIR=$folder/ranges "$program" pairs 2500000
# 12 events a step: 2 pushes, 2 pops, 3 launches, 4 kernels and a copy.
RANGEFINDER_INJECT_DIR=$folder/kernels "$program" gpu 833000
unset NVTX_INJECTION64_PATH CUDA_INJECTION64_PATH
for kind in ranges kernels; do
  ls -l "$folder/$kind"/*.rftrace |
    awk -v kind=$kind '{ print kind ":", $5, "bytes, 10 million events" }'
  for run in 1 2 3; do
    python3 - "$rangefinder" show "$folder/$kind" --format json << 'P'
import resource, shutil, subprocess, sys, tempfile, time
counted = tempfile.NamedTemporaryFile()
perf = (["perf", "stat", "-x,", "-e", "instructions:u", "-o", counted.name]
        if shutil.which("perf") else [])
start = time.perf_counter()
subprocess.run(perf + sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
seconds = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
words = [line.split(",")[0] for line in open(counted.name)
         if "instructions" in line]
print(f"{seconds:.2f} s, {usage.ru_utime:.2f} s user, {usage.ru_stime:.2f} s "
      f"system, {usage.ru_maxrss / 1024:.0f} MiB resident, the mapped file "
      f"included" + (f", {int(words[0]) / 1e9:.2f} G instructions"
                     if words and words[0].isdigit() else ""))
P
  done
done
