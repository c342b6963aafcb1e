#!/usr/bin/env bash
# How ncu counts: the ranges of --range-filter, the launches of --launch-count
# with --filter-mode per-launch-config, and the invocations of --kernel-id.
# docs/measured.md has its output, and src/plan builds on it (instance_plan,
# budget_plan): run it again for another version of ncu.
#
#   RANGEFINDER  the binary (dist/rangefinder, else a build's)
#   OUT          where the runs go (a temporary folder)
#
# Prints a line for each question, with the launches that were measured: for a
# kernel region:blocks, for a range region=the sum of the blocks inside. Without
# a GPU, ncu or nvcc the status is 77.
set -uo pipefail
export LC_ALL=C
bench=$(cd "$(dirname "$0")" && pwd)
. "$bench/../../tests/gpu/programs/machine.sh"
need ncu nvcc python3
prepare
inst='smsp__inst_executed.sum'
nvcc -arch=native -O2 -std=c++17 -I"$root/examples" -o "$out/probe" \
  "$bench/filter_probe.cu" -ldl || exit 1

# ask TITLE STEP [OPTION OF NCU...]
ask() {
  local title=$1 step=$2 name
  shift 2
  name=$(echo "$title" | tr -c 'A-Za-z0-9\n' _)
  ncu --config-file off --force-overwrite --export "$out/$name" --nvtx \
    --log-file "$out/$name.log" --clock-control none --metrics "$inst" \
    --target-processes all "$@" "$out/probe" "$step" > /dev/null 2>&1
  local status=$?
  rm -rf "${out:?}/$name"
  [[ ! -e $out/$name.ncu-rep ]] || "$rangefinder" report "$out/$name.ncu-rep" \
    hydra.run.dir="$out/$name" 'report.formats=[json]' > /dev/null 2>&1
  python3 - "$title" "$status" "$out/$name" "$out/unit" "$inst" << 'PY'
import csv
import json
import math
import os
import sys

title, status, run, unit_file, inst = sys.argv[1:]
rows = []
if os.path.exists(run + "/ncu/raw.csv"):
    rows = list(csv.DictReader(open(run + "/ncu/raw.csv")))
unit = float(open(unit_file).read()) if os.path.exists(unit_file) else 1
said = []
for row in rows:
    region = "/".join(json.loads(row["region"] or "[]")) or "-"
    value = float(row[inst] or 0)
    if row["kind"] == "range":
        said.append(f"{region}={value / unit:g}")
        continue
    grid = math.prod(int(n) for n in row["grid"].split("x"))
    block = math.prod(int(n) for n in row["block"].split("x"))
    if not os.path.exists(unit_file):
        open(unit_file, "w").write(str(value / grid / (block / 32)))
    said.append(f"{region}:{grid}")
print(f"{title}: {' '.join(said) or 'nothing'}" +
      (f" (status {status})" if status != "0" else ""))
if not rows and os.path.exists(run + ".log"):
    for line in open(run + ".log"):
        if "ERROR" in line or "No " in line:
            print("    " + line.strip()[:160])
PY
}

begin=$SECONDS
ncu --version | tail -1

# Which number every range has, as the bits of it.
numbers() {  # TITLE STEP [OPTION...]
  local title=$1 step=$2
  shift 2
  ask "$title all" "$step" "$@"
  ask "$title bit0" "$step" "$@" --range-filter '::1|3|5|7|9|11'
  ask "$title bit1" "$step" "$@" --range-filter '::2|3|6|7|10|11'
  ask "$title bit2" "$step" "$@" --range-filter '::4|5|6|7|12'
}
ab=(--nvtx-include a/ --nvtx-include b/)
numbers "kernel a b" ranges "${ab[@]}"
ask "kernel a b bit3" ranges "${ab[@]}" --range-filter '::8|9|10|11|12'
numbers "range a b" ranges --replay-mode range "${ab[@]}"
ask "app-range a b bit0" ranges --replay-mode app-range "${ab[@]}" --range-filter '::1|3|5|7|9|11'
ask "range threads 2|3" threads --replay-mode range --nvtx-include a/ --range-filter '::2|3'
ask "range threads 1" threads --replay-mode range --nvtx-include a/ --range-filter '::1'
ask "kernel threads 2|3" threads --nvtx-include a/ --range-filter '::2|3'
ask "range processes 2" processes --replay-mode range --nvtx-include a/ --range-filter '::2'
ask "kernel processes 2" processes --nvtx-include a/ --range-filter '::2'

# Which launches are of one class.
for base in function demangled; do
  ask "class $base" configs --kernel-name-base "$base" \
    --filter-mode per-launch-config --launch-count 1
done

# Which number a launch has.
ask "id 1" configs --kernel-id ':::1'
ask "id 2|3" configs --kernel-id ':::2|3'
ask "id 4 to 6 or 9" configs --kernel-id ':::[4-6]|9'
ask "id two options" configs --kernel-id ':::2' --kernel-id ':::5'
name='regex:^_Z4workIfEvPT_$|^.*workIfE.*$'
ask "id mangled 2|6" configs --kernel-name-base mangled --kernel-id "::$name:2|6"
ask "id mangled int 1" configs --kernel-name-base mangled --kernel-id '::regex:workIi:1'
ask "id mangled int 5" configs --kernel-name-base mangled --kernel-id '::regex:workIi:5'
ask "id in a filter 1" configs --nvtx-include block/ --nvtx-include last/ --kernel-id ':::1'
ask "id in a filter 6" configs --nvtx-include block/ --nvtx-include last/ --kernel-id ':::[5-6]'
ask "id with a name 2" configs --kernel-name-base demangled --kernel-name 'regex:int' --kernel-id ':::5'
long=$(seq -s '|' 1000 3000)
ask "id long" configs --kernel-id ":::2|$long"
echo "$((SECONDS - begin)) s"
