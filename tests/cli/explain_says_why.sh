#!/bin/bash
# All causes of a run and its wall time by parts; for a program, with their ids.
. "$(dirname "$0")/common.sh"
trace=$fixtures/llm_sampled.rftrace.zst
[ -e "$trace" ] || skip "no $trace"

COLUMNS=100 "$rangefinder" explain "$trace" > out 2> err
has out "decode: launch-bound, GPU idle" "to do: a CUDA graph" "Wall time by parts" "deferred"
not grep -q "cause=" out
"$rangefinder" explain "$trace" --for agent > agent 2> err
has agent "# Why it is slow" "cause=launch_bound region_id=" "certain=true" "## Wall time"
# A rule of the user's takes the place of the shipped ones.
"$rangefinder" explain "$trace" causes.launch_bound=null causes.warm_up=null > out 2> err
not grep -q "launch-bound" out
status 2 "$rangefinder" explain "$trace" --for nobody 2> err
has err "--for"
status 2 "$rangefinder" explain 2> err
