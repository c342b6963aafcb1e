#!/usr/bin/env bash
# The selection of ncu's --kernel-id: how launches are numbered, whether the option
# may be repeated, and how it goes with other filters. Prints for each question
# the launches that were measured, as KERNEL:NUMBER (the grid is the number).
set -uo pipefail
bench=$(cd "$(dirname "$0")" && pwd)
. "$bench/../../tests/gpu/programs/machine.sh"
need nvcc ncu python3
out=${OUT:-$(mktemp -d)}
program=$out/launch_numbers
nvcc -O2 -std=c++17 -o "$program" "$bench/launch_numbers.cu" || exit 1
ask() {  # QUESTION OPTION...
  local question=$1
  shift
  ncu --nvtx --clock-control none --metrics gpu__time_duration.sum --csv --page raw \
    "$@" "$program" > "$out/answer" 2>&1
  printf '%-44s %s\n' "$question" "$(python3 - "$out/answer" << 'PY'
import csv
import sys

lines = open(sys.argv[1]).read().splitlines()
rows = list(csv.reader(line for line in lines if line.startswith('"')))
if not rows:
    print(next((l for l in lines if "ERROR" in l or "WARN" in l), "nothing"))
    sys.exit()
head = rows[0]
name, grid = head.index("Kernel Name"), head.index("Grid Size")
took = []
for row in rows[1:]:
    if not row[0].strip().isdigit():
        continue
    took.append(row[name].split("(")[0].split("<")[0].replace("void ", "") + ":" +
                row[grid].strip("() ").split(",")[0])
print(" ".join(took) or "nothing")
PY
)"
}
ask "::first:2" --kernel-id ::first:2
ask "::first:2 and ::second:3, the option twice" --kernel-id ::first:2 --kernel-id ::second:3
ask "a regular expression of numbers" --kernel-id '::first:2|4|12'
ask "anchored" --kernel-id '::first:^(2|4|12)$'
ask "regex: name" --kernel-id '::regex:^(first|second)$:3'
ask "all names, numbers alone" --kernel-id ':::2'
ask "all names, anchored numbers" --kernel-id ':::^(2|4)$'
ask "all names by demangled name" --kernel-name-base demangled --kernel-id ':::^(2|4)$'
ask "look-ahead in the name" --kernel-id '::regex:^(?!.*([nN]ccl|first)):^(2|4)$'
ask "a colon in the name" --kernel-name-base demangled --kernel-id '::regex:a::b|second:^(2|4)$'
ask "in R1 or R3, all names" --nvtx-include R1/ --nvtx-include R3/ --kernel-id ':::^(2|4)$'
ask "the same without R1" --nvtx-exclude R1/ --kernel-id ':::^(2|4)$'
ask "a template by function name" --kernel-id '::third:2'
ask "a template, demangled base" --kernel-name-base demangled --kernel-id '::regex:^void third<\(?.*int:2'
ask "mangled base" --kernel-name-base mangled --kernel-id '::_Z5firstPi:3'
ask "inside R1 by --nvtx-include, ::first:2" --nvtx-include R1/ --kernel-id ::first:2
ask "inside R1 by --nvtx-include, ::first:5" --nvtx-include R1/ --kernel-id ::first:5
ask "any range, ::first:17" --kernel-id ::first:17
ask "stream 7, ::first:1" --kernel-id :7:first:1
ask "with --kernel-name second, ::first:2" --kernel-name second --kernel-id ::first:2
ask "with --launch-count 1, two ids" --launch-count 1 --kernel-id ::first:2 --kernel-id ::second:3
many=()
for ((i = 1; i <= 400; ++i)); do many+=(--kernel-id "::first:$((i * 2))"); done
ask "400 ids" "${many[@]}"
long=$(seq -s '|' 1001 4000)
ask "a regular expression of 15,000 characters" --kernel-id "::first:^(3|$long)\$"
