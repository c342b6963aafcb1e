#!/bin/bash
# All causes of a run and its wall time by parts; for a program, with their ids.
. "$(dirname "$0")/common.sh"
trace=$fixtures/llm_sampled.rftrace.zst
[ -e "$trace" ] || skip "no $trace"

COLUMNS=100 "$rangefinder" explain "$trace" > out 2> err
# Its calls were not recorded.
has out "decode: perhaps launch-bound, GPU idle" "next: a CUDA graph" "Wall time by parts" \
  "deferred"
not grep -q "cause=" out
"$rangefinder" explain "$trace" --for agent > agent 2> err
has agent "# Why it is slow" "cause=launch_bound region_id=" "certain=true" "## Wall time"
# A rule of the user's takes the place of the shipped ones.
"$rangefinder" explain "$trace" causes.launch_bound=null causes.warm_up=null > out 2> err
not grep -q "launch-bound" out
status 2 "$rangefinder" explain "$trace" --for nobody 2> err
has err "--for"
status 2 "$rangefinder" explain 2> err

# Without an aggregate, causes are of the first process, which is named.
"$rangefinder" show "$fixtures/multiproc.ncu-rep" regions.aggregate=false > out
has out "B in process:494/device:0: perhaps compute-bound" \
  "Kernels by time process:494/device:0"
ranks=("$fixtures"/nccl_rank[01].rftrace.zst)
"$rangefinder" show "${ranks[@]}" regions.aggregate=false causes.unfused=null \
  causes.gpu_bound=null > out
has out "5 % of the run in process:627/device:0 (rank 0), as far as"
for words in "" "--for agent"; do
  # shellcheck disable=SC2086 # The words of a command.
  "$rangefinder" explain $words "${ranks[@]}" regions.aggregate=false > out
  has out "Why it is slow in process:627/device:0 (rank 0)"
done
"$rangefinder" show "${ranks[@]}" > out
not grep -qE "run in process|Kernels by time +process" out
