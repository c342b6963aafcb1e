#!/bin/bash
# A selection of instances or kernels applies to all that is shown: a report of
# the last 20 of 40 steps says what a report of a program of these 20 steps says.
. "$(dirname "$0")/common.sh"
build=${RANGEFINDER_BUILD:-$source_dir/build/release}
draw=$build/trace_from_text
[ -x "$draw" ] || skip "no $draw"

# steps FROM TO: the steps of one program, of which the first 20 are slow. With
# MORE=1 a step has a second kernel.
steps() {
  python3 - "$1" "$2" "${MORE:-1}" << 'PY' | "$draw"
import sys

begin, end, more = map(int, sys.argv[1:])
kernels = []
print("gpu 0 NVIDIA_H200\nthread 11\n5 push warm\n6 pop")
for step in range(begin, end):
    now, slow = 1000 * step + 10, 5 if step < 20 else 1
    print(f"{now} push decode\n{now + 5} push mlp")
    for i, name in enumerate(["gemm", "relu"][:1 + more]):
        call = 10 * step + i + 1
        at = now + 20 + 150 * i
        print(f"{at} launch {call}")
        kernels.append(f"kernel {name} {at + 5}-{at + 5 + 20 * slow + i} of={call}")
    print(f"{now + 300 + 50 * slow} pop\n{now + 310 + 50 * slow} pop")
print("\n".join(kernels))
PY
}
steps 0 40 > all.rftrace
steps 20 40 > last.rftrace
MORE=0 steps 20 40 > gemm.rftrace

# The numbers of the regions; when they were measured is left out.
numbers() {
  "$rangefinder" show --quiet --format json "$@" > show.json
  python3 - << 'PY'
import json

document = json.load(open("show.json"))
scope = document["scopes"][0]

def without_when(value):
    if isinstance(value, dict):
        return {k: without_when(v) for k, v in value.items()
                if k not in ("start_ns", "end_ns", "selection", "id", "parent_id")}
    return [without_when(v) for v in value] if isinstance(value, list) else value

print(json.dumps([scope["headline"], scope["totals"],
                  without_when([[r["path"], r.get("times"), r["total_ms"], r["kernel_count"],
                                 r["instances"], r["inclusive"], r["kernels"]]
                                for r in scope["regions"] if r["path"] != ["warm"]]),
                  [h["text"] for h in document["headlines"]]], indent=1))
PY
}
numbers last.rftrace > expected
numbers all.rftrace regions.instances.skip=20 > selected
diff expected selected
numbers all.rftrace > whole
not cmp -s expected whole
has show.json '"instances":40'

# The same of the terminal.
"$rangefinder" show last.rftrace --columns wall,each,time,idle,launches,instances,busy > expected
"$rangefinder" show all.rftrace regions.instances.skip=20 \
  --columns wall,each,time,idle,launches,instances,busy > selected
diff <(sed -n '/^region/,/^$/p' expected) \
  <(sed -n '/^region/,/^$/p' selected | grep -v "^regions.instances.skip")
has selected "regions.instances.skip=20: 40 of 80 kernels are left out"

# Instances from the middle, of an outer range that ran once: its time is without
# that of the others.
"$draw" > once.rftrace << 'TRACE'
gpu 0 NVIDIA_H200
thread 11
0 push run
10 push step
12 launch 1
30 pop
40 push step
42 launch 2
90 pop
100 pop
kernel k 15-25 of=1
kernel k 50-80 of=2
TRACE
"$rangefinder" show --quiet --format json once.rftrace regions.instances.count=1 > once.json
[ "$(json once.json '[[r["name"], r["instances"], r["times"]["cpu_ns"]["total"],
  sum(r["times"]["wall_ns"].values()), r["times"]["gpu"]["kernel_count"], r["total_ms"]]
  for r in d["scopes"][0]["regions"]]')" = \
  '[["run", 1, 50000, 50000, 1, 0.01], ["step", 1, 20000, 20000, 1, 0.01]]' ]

# Kernels: GPU times of regions are of the selected ones, too.
numbers gemm.rftrace > expected
numbers last.rftrace "regions.kernels.include=[gemm]" > selected
python3 - << 'PY'
import json

def times(file):
    _, totals, regions, _ = json.load(open(file))
    return totals["kernel_count"], [
        [path, times["gpu"], times["gpu_ns"], times["gpu_idle_ns"], ms, count]
        for path, times, ms, count, *_ in regions]
assert times("expected") == times("selected"), (times("expected"), times("selected"))
PY

# A region without launches can be selected, too.
exam=$(dirname "$fixtures")/exam/traces
"$rangefinder" explain regions.include=target "$exam/copy_h2d_pageable.rftrace.zst" > out 2> err
has out "step › target: pageable copies"
not grep -qE "matches nothing|no range is called" out err
