#!/bin/bash
# Traces for Perfetto, flame graphs and Hatchet: documents that their readers
# take, in which every arrow from a launch meets its kernel.
. "$(dirname "$0")/common.sh"
build=${RANGEFINDER_BUILD:-$source_dir/build/release}
library=$build/librangefinder_inject.so
program=$build/inject_ranges
fake=$build/libinject_fake_cupti.so
[ -f "$library" ] && [ -x "$program" ] && [ -f "$fake" ] ||
  skip "no traced program in $build"
mkdir "$t/trace"
for process in 1 2; do
  CUDA_INJECTION64_PATH=$library NVTX_INJECTION64_PATH=$library \
    RANGEFINDER_INJECT_DIR=$t/trace RANGEFINDER_CUPTI_PATH=$fake \
    "$program" gpu 3
done

"$rangefinder" show "$t/trace" --format perfetto > "$t/perfetto.json"
python3 - "$t/perfetto.json" << 'PY'
import collections
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
assert {"M", "X", "s", "f"} <= {e["ph"] for e in events}
assert all({"pid", "tid", "name"} <= e.keys() for e in events)
assert all("ts" in e for e in events if e["ph"] != "M")
ends = collections.defaultdict(list)
for e in events:
    if e["ph"] in "sf":
        ends[e["cat"], e["name"], e["id"]].append(e["ph"])
assert len(ends) == 20, len(ends)      # 10 launches in each process
assert all(e[0] == "s" and set(e[1:]) == {"f"} for e in ends.values()), ends
assert max(key[2] for key in ends) < 2 ** 53
# Every arrow begins and ends inside a slice of its track.
slices = collections.defaultdict(list)
for e in events:
    if e["ph"] == "X":
        slices[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
for e in events:
    if e["ph"] in "sf":
        assert any(a <= e["ts"] <= b for a, b in slices[e["pid"], e["tid"]]), e
# Slices of a track nest or follow each other.
for track in slices.values():
    open_until = []
    for start, end in sorted(track, key=lambda s: (s[0], -s[1])):
        while open_until and open_until[-1] <= start:
            open_until.pop()
        assert not open_until or end <= open_until[-1], (start, end)
        open_until.append(end)
PY

"$rangefinder" show "$t/trace" --format folded > "$t/folded"
awk '!/ [0-9]+$/ { exit 1 }' "$t/folded"
grep -q '^step;graph() 18000$' "$t/folded"
# The selection counts here, too.
"$rangefinder" show "$t/trace" --format folded \
  regions.kernels.include='["graph*"]' > "$t/selected"
[ "$(wc -l < "$t/selected")" = 1 ]

"$rangefinder" show "$t/trace" --format speedscope > "$t/speedscope.json"
python3 - "$t/speedscope.json" "$t/folded" << 'PY'
import json
import sys

file = json.load(open(sys.argv[1]))
names = [frame["name"] for frame in file["shared"]["frames"]]
assert len(set(names)) == len(names)
gpu, wall = file["profiles"]
for profile in (gpu, wall):
    assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds"
    assert len(profile["samples"]) == len(profile["weights"]) > 0
    assert sum(profile["weights"]) == profile["endValue"]
# The stacks of the GPU's time are the folded ones.
stacks = {";".join(names[frame] for frame in stack): weight
          for stack, weight in zip(gpu["samples"], gpu["weights"])}
folded = dict(line.rsplit(" ", 1) for line in open(sys.argv[2]).read().splitlines())
assert stacks == {stack: int(ns) for stack, ns in folded.items()}
PY

"$rangefinder" show "$t/trace" --format hatchet > "$t/hatchet.json"
python3 - "$t/hatchet.json" << 'PY'
import json
import sys


def check(node):
    assert set(node) <= {"frame", "metrics", "children"}, node
    assert {"name", "type"} <= node["frame"].keys()
    inner = sum(check(child) for child in node.get("children", []))
    total = node["metrics"]["time (inc)"]
    assert abs(total - node["metrics"]["time"] - inner) < 1e-12
    return total


roots = json.load(open(sys.argv[1]))
assert roots[0]["frame"] == {"name": "step", "type": "region"}
assert abs(sum(map(check, roots)) - 26e-6) < 1e-12
PY

# A kernel's line of the source goes with it, where the run has it.
"$build/trace_from_text" > "$t/lines.rftrace" << 'T'
fact source lines
source burn() /home/a:b/burn.cu 17
10 push A
11 launch 1
12 launch 2
20 pop
kernel burn() 20-40 of=1
kernel other() 50-60 of=2
T
for format in perfetto speedscope hatchet; do
  "$rangefinder" show "$t/lines.rftrace" --format $format > "$t/lines.$format"
done
python3 - "$t/lines" << 'PY'
import json
import sys

perfetto, speedscope, hatchet = (
    json.load(open(f"{sys.argv[1]}.{kind}"))
    for kind in ("perfetto", "speedscope", "hatchet"))
assert {e["name"]: e["args"].get("source") for e in perfetto["traceEvents"]
        if e.get("cat") == "gpu"} == {
    "burn()": "/home/a:b/burn.cu:17", "other()": None}
place = {"file": "/home/a:b/burn.cu", "line": 17}
assert speedscope["shared"]["frames"] == [
    {"name": "A"}, {"name": "burn()", **place}, {"name": "other()"}]
assert [node["frame"] for node in hatchet[0]["children"]] == [
    {"name": "burn()", "type": "kernel", **place},
    {"name": "other()", "type": "kernel"}]
PY

# Reports of ncu have no single instances.
status=0
"$rangefinder" show "$fixtures/nested_basic.ncu-rep" --format perfetto \
  2> "$t/err" > "$t/out" || status=$?
[ $status = 2 ]
grep -q 'needs a trace' "$t/err"
[ ! -s "$t/out" ]
"$rangefinder" show "$fixtures/nested_basic.ncu-rep" --format folded |
  grep -q '^A;A::A1;'

# A summary has rows of many launches; a range may be ended by a thread that comes
# earlier in the trace.
"$rangefinder" summarize --quiet "$t/trace" -o "$t/all.rfsum"
launches() {
  "$rangefinder" show "$1" --format hatchet > "$t/hatchet.json" 2> err
  json "$t/hatchet.json" 'sum(root["metrics"]["kernels"] for root in d)'
}
[ "$(launches "$t/all.rfsum")" = "$(launches "$t/trace")" ]
"$build/trace_from_text" > "$t/ended.rftrace" << 'T'
thread 1
200 end id=5
thread 2
100 start S id=5
T
"$rangefinder" show "$t/ended.rftrace" --format perfetto > "$t/ended.json" 2> err
[ "$(json "$t/ended.json" '[e["ph"] for e in d["traceEvents"] if e["ph"] in "be"]')" \
  = '["e", "b"]' ]
