#!/bin/bash
. "$(dirname "$0")/common.sh"

build=${RANGEFINDER_BUILD:-$source_dir/build/release}
[ -x "$build/trace_from_text" ] || skip "no $build/trace_from_text"

mkdir -p run/trace
for rank in 0 1 2 3; do
  "$build/trace_from_text" > "run/trace/$rank.rftrace" << T
process pid=$((70 + rank)) rank=$rank exe=/usr/bin/app
gpu 0 NVIDIA_H200
10 push train
12 launch 1
13 push forward
14 launch 2
15 launch 3
20 pop
21 launch 4
$((60 + rank)) pop
$((70 + rank)) launch 5
kernel gemm $((15 + rank))-40 of=1 grid=8 block=64
kernel relu 41-$((44 + rank)) of=2 grid=1 block=32
kernel gemm 50-55 of=3 grid=4 block=64
kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL $((56 + rank))-65 of=4
kernel last 90-95 of=5
T
done

# One of each rank, and of a run directory with all of them.
for rank in 0 1 2 3; do
  "$rangefinder" summarize run --rank $rank -o $rank.rfsum 2> err
  has err "1 process,"
done
"$rangefinder" summarize run -o run.rfsum 2> err
has err "4 processes,"

# Any tree of merges gives the same bytes.
"$rangefinder" merge 0.rfsum 1.rfsum 2.rfsum 3.rfsum -o all.rfsum 2> err
has err "merged 4 of 4 summaries: 4 processes"
"$rangefinder" merge 3.rfsum 1.rfsum -o odd.rfsum
"$rangefinder" merge 2.rfsum 0.rfsum -o even.rfsum
"$rangefinder" merge odd.rfsum even.rfsum -o tree.rfsum
cmp all.rfsum tree.rfsum
printf '%s\n' 2.rfsum odd.rfsum '' 0.rfsum 2.rfsum > list
"$rangefinder" merge @list -o listed.rfsum 2> err
has err "1 given twice and counted once"
cmp all.rfsum listed.rfsum

# Of a rank that was summarized while it ran, and at its end, the later summary
# counts, in any tree and order; --strict refuses.
mkdir -p early/trace
"$build/trace_from_text" > early/trace/2.rftrace << T
process pid=72 rank=2 exe=/usr/bin/app
gpu 0 NVIDIA_H200
10 push train
12 launch 1
kernel gemm 17-40 of=1 grid=8 block=64
T
"$rangefinder" summarize early -o early.rfsum
"$rangefinder" merge early.rfsum 3.rfsum 2.rfsum odd.rfsum 0.rfsum -o latest.rfsum 2> err
has err "warning: early.rfsum: a later summary of rank 2 counts" "4 processes"
cmp all.rfsum latest.rfsum
"$rangefinder" merge early.rfsum 3.rfsum -o with.early.rfsum
"$rangefinder" merge with.early.rfsum 1.rfsum -o with.early.rfsum
"$rangefinder" merge with.early.rfsum even.rfsum -o latest.rfsum
cmp all.rfsum latest.rfsum
status 2 "$rangefinder" merge --strict even.rfsum with.early.rfsum -o none.rfsum 2> err
has err "a later summary of rank 2 counts"
[ ! -e none.rfsum ]

# For every region the merged summaries have the numbers of the run.
"$rangefinder" show run --format json > run.json
for of in all run; do
  "$rangefinder" show $of.rfsum --format json > $of.rfsum.json
  python3 - run.json $of.rfsum.json << 'P'
import json, math, sys

def aggregate(path):
    with open(path, encoding="utf-8") as file:
        scopes = json.load(file)["scopes"]
    return {tuple(r["path"]): r for r in scopes[0]["regions"]}

def kernels(region):
    return {k["kernel_name"]: {m: k[m] for m in
            ("calls", "own_calls", "total_ms", "min_ms", "max_ms")}
            for k in region["kernels"]}

run, summary = map(aggregate, sys.argv[1:])
assert run.keys() == summary.keys(), (run.keys(), summary.keys())
for path, region in run.items():
    other = summary[path]
    for part in ("inclusive", "exclusive"):
        for key in ("kernel_count", "gpu_time_ns"):
            assert region[part][key] == other[part][key], (path, part, key)
    assert region["instances"] == other["instances"], path
    assert region["kind"] == other["kind"], path
    a, b = kernels(region), kernels(other)
    assert a.keys() == b.keys(), path
    for name, row in a.items():
        for key, value in row.items():
            assert math.isclose(value, b[name][key], rel_tol=1e-12), (path, key)
    if "times" in region:
        a, b = region["times"], other["times"]
        for key in ("cpu_ns", "gpu_ns", "gpu_span_ns", "gpu_idle_ns"):
            for part in ("instances", "total", "min", "max", "mean"):
                assert a[key][part] == b[key][part], (path, key, part)
        for key in ("busy_ns", "span_ns", "kernel_count", "copies"):
            assert a["gpu"][key] == b["gpu"][key], (path, key)
P
done

# A missing summary is named, and the rest is merged.
head -c 300 1.rfsum > cut.rfsum
"$rangefinder" merge 0.rfsum cut.rfsum gone.rfsum -o some.rfsum 2> err
has err "left out: cut.rfsum" "left out: gone.rfsum" \
  "merged 1 of 3 summaries, 2 left out: 1 process"
cmp some.rfsum 0.rfsum
status 7 "$rangefinder" merge --strict 0.rfsum gone.rfsum -o none.rfsum 2> err
status 5 "$rangefinder" merge cut.rfsum gone.rfsum -o none.rfsum 2> err
[ ! -e none.rfsum ]
status 5 "$rangefinder" merge run/trace/0.rftrace -o none.rfsum 2> err
has err "rangefinder summarize"
"$rangefinder" summarize "$fixtures/nested_basic.ncu-rep" "regions.include=[A]" \
  -o selected.rfsum 2> err
has err "summarized 6 measurements in 2 regions"  # of 28
status 2 "$rangefinder" summarize all.rfsum -o none.rfsum 2> err
has err "rangefinder merge"
status 2 "$rangefinder" summarize run -o /dev/null 2> err
status 2 "$rangefinder" summarize run --rank 9 -o none.rfsum 2> err
has err "nothing of rank 9"
status 2 "$rangefinder" merge 0.rfsum 2> err
has err "-o FILE"

# Reports of ncu, each of one process.
for report in nested_basic graph_node; do
  "$rangefinder" summarize "$fixtures/$report.ncu-rep" -o $report.rfsum 2> err
  has err ": 1 process,"
done
"$rangefinder" merge --strict nested_basic.rfsum graph_node.rfsum -o ncu.rfsum \
  2> err
has err "merged 2 of 2 summaries: 2 processes"
"$rangefinder" show ncu.rfsum --format json > ncu.json
[ "$(json ncu.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 40 ]

# The process of merged summaries is no process 0.
"$rangefinder" show all.rfsum > out
has out "aggregate = 4 processes together, device 0"
"$rangefinder" show all.rfsum --by rank > out
has out "4 processes together, device 0"
not grep -qF "process:0" out

# Traces of ranks need no run directory, and may be compressed.
mkdir loose
cp run/trace/0.rftrace loose
cp "$fixtures/nccl_rank1.rftrace.zst" loose
"$rangefinder" summarize loose --rank 1 -o loose.rfsum 2> err
has err "1 process,"
"$rangefinder" summarize --quiet "$fixtures/nccl_rank1.rftrace.zst" -o one.rfsum
cmp loose.rfsum one.rfsum
status 2 "$rangefinder" summarize loose --rank 5 -o none.rfsum 2> err
has err "nothing of rank 5 is in this folder, which has rank 0, 1"
mkdir unranked
cp "$fixtures/multiproc.ncu-rep" unranked
status 2 "$rangefinder" summarize unranked --rank 0 -o none.rfsum 2> err
has err "no file of it tells its rank"
