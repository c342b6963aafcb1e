#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# The run of a program that calls neither CUDA nor NVTX has no capture.
"$rangefinder" profile hydra.run.dir="$t/run" -- true > out 2> err
"$rangefinder" show run > out 2> err
has out "called neither NVTX nor CUDA"
has out "aggregate  GPU work was not recorded"
"$rangefinder" show run/ncu/regions/report.json > out 2> err
has out "aggregate  GPU work was not recorded"
"$rangefinder" explain run > out 2> err
"$rangefinder" filter step run > out 2> err
has out "selects   0 of 0 measurements"

# The records of the GPU are lost from the second region on: no 0.
head -c 80000 "$fixtures/llm_sampled.rftrace.zst" > cut.rftrace.zst
"$rangefinder" show --columns wall,GPU,idle,launches cut.rftrace.zst > out 2> err
has out "A part of the capture is lost"
grep -qE '^decode +[^ ]+ +1\.15 s +– +– +–$' out
grep -qE '^prefill .* 336$' out
not grep -q "idle GPU" out

# A report that is read again: ranges that were measured as a whole have no number
# of kernels.
for capture in range_ABprefill nested_basic; do
  "$rangefinder" show --format json "$fixtures/$capture.ncu-rep" > again.json 2> err
  "$rangefinder" show again.json > out 2> err
  not grep -q "was not recorded" out err
done
