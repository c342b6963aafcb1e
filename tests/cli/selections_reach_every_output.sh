#!/bin/bash
# What a selection does not reach is said, or refused.
. "$(dirname "$0")/common.sh"

build=${RANGEFINDER_BUILD:-$source_dir/build/release}
[ -x "$build/trace_from_text" ] || skip "no $build/trace_from_text"

"$build/trace_from_text" > run.rftrace << 'T'
process pid=7 exe=/usr/bin/app
gpu 0 NVIDIA_H200
gpu 1 NVIDIA_H200
10 push A
12 launch 1
14 launch 2
15 push B
20 launch 3
30 pop
90 pop
kernel f 20-30 of=1 device=0
kernel f 30-50 of=2 device=1
kernel g 50-60 of=3 device=0
T

# Times of a region include excluded regions inside it, and a note says so.
"$rangefinder" show run.rftrace 'regions.exclude=[B]' > out 2>&1
has out "include the regions inside it that the"
"$rangefinder" show run.rftrace 'regions.include=[B]' > out 2>&1
not grep -qF "include the regions inside it" out

# The GPU's busy time and all shares are of the regions that are left.
llm=$fixtures/llm_sampled.rftrace.zst
"$rangefinder" show --quiet "$llm" --format json > all.json
"$rangefinder" show --quiet "$llm" --format json 'regions.exclude=[decode]' > part.json
busy() { json "$1" 'd["scopes"][0]["times"]["gpu"]["busy_ns"]'; }
[ "$(json all.json '[r["times"]["gpu"]["busy_ns"] for r in d["scopes"][0]["regions"]
  if r["path"] == ["prefill"]][0]')" = "$(busy part.json)" ]
[ "$(busy part.json)" -lt "$(busy all.json)" ]
rest="est of the run: 50,544 launches, 131.2 ms of GPU time, 90.2 %"
for command in show explain "explain --for agent"; do
  # shellcheck disable=SC2086 # The words of a command.
  "$rangefinder" $command --quiet "$llm" 'regions.exclude=[decode]' > out
  has out "$rest"
  not grep -qF "GPU busy 160.7 ms" out
  not grep -qF "share of the run" out
done
"$rangefinder" show --quiet "$llm" 'regions.exclude=[decode]' --explain prefill share > out
has out "; 14.24 ms in the selected regions"

# The time of an instance with kernels on two devices is of no single device.
"$rangefinder" show --quiet --format json run.rftrace > run.json
[ "$(json run.json '[[s["scope"], s["regions"][0]["times"]["gpu_ns"]["instances"],
  s["regions"][0]["times"]["gpu"]["gpu_time_ns"]] for s in d["scopes"]]')" = \
  '[["aggregate", 1, 40000], ["process:7/device:0", 0, 20000], ["process:7/device:1", 0, 20000]]' ]

# A value is explained in the scope: measured, estimated, and of a column.
explained() {
  "$rangefinder" show --quiet "$1" --explain "$2" "$3" --scope "$4"
}
cell() {
  "$rangefinder" show --quiet --format json "$1" report.table.columns="[$3]" |
    python3 -c 'import json, sys
for scope in json.load(sys.stdin)["scopes"]:
    if scope["scope"] == sys.argv[3]:
        print([r["inclusive"]["metrics"][sys.argv[2]]["value"] for r in scope["regions"]
               if "/".join(r["path"]) == sys.argv[1]][0])' "$2" "$3" "$4"
}
for one in "$fixtures/multiproc.ncu-rep A/A::A1 dram__bytes.sum process:494/device:0" \
  "$fixtures/copies_sampled.rftrace.zst set?9633792 sm__inst_executed.sum process:913/device:0"; do
  read -r file region metric scope <<< "$one"
  region=${region//\?/ }
  value=$(cell "$file" "$region" "$metric" "$scope")
  explained "$file" "$region" "$metric" "$scope" > out
  has out "result: $value"
done
explained run.rftrace A launches process:7/device:1 > out
has out "= 1"
status 2 "$rangefinder" show run.rftrace --explain A launches --scope all 2> err
has err "--explain explains one scope"
status 2 "$rangefinder" show run.rftrace --explain A launches --format json 2> err
status 2 "$rangefinder" show run.rftrace --explain A launches --scope none 2> err

# A timeline in Chrome's format is of the whole trace.
"$rangefinder" show run.rftrace --format perfetto 'regions.exclude=[B]' > out 2> err
has err "writes all of a trace"
"$rangefinder" show run.rftrace --format perfetto > all.json 2> err
not grep -q "writes all of a trace" err
cmp out all.json

# Summaries have no single instances.
"$rangefinder" summarize --quiet run.rftrace -o run.rfsum
"$rangefinder" show run.rfsum regions.instances.skip=1 > out 2>&1
has out "the file has no single instances"

# Names that are nested in each other have no sum.
"$rangefinder" show run.rftrace --by name --top 1 > out 2>&1
has out "1 more name is not shown"
not grep -qF -e "of the time" out

# A run counts once.
for again in ./run.rftrace "$PWD/run.rftrace"; do
  status 2 "$rangefinder" diff "run.rftrace,$again" run.rfsum 2> err
  has err "$again is named twice"
done
