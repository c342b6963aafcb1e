#!/usr/bin/env bash
# The time of a steady instance is no mean with warm-up: reports and summaries
# lack the first instances, and say so.
. "$(dirname "$0")/common.sh"

llm=$fixtures/llm_sampled.rftrace.zst
"$rangefinder" summarize --quiet "$llm" -o run.rfsum
"$rangefinder" show --quiet "$llm" --format json > report.json
decode='[r for r in d["scopes"][0]["regions"] if r["path"] == ["decode"]][0]["times"]'
for file in run.rfsum report.json; do
  "$rangefinder" show --quiet $file > out
  has out "values are absent: a report and a summary lack the first instances" \
    "layer*.attn ×7"
  not grep -qF "16.50 ms" out
  "$rangefinder" show --quiet $file --explain decode each > out
  has out "not known: a report and a summary lack the first instances"
  "$rangefinder" show --quiet $file --format json > again.json
  [ "$(json again.json "[${decode}[\"warmup\"], \"steady_wall_ns\" in $decode]")" = \
    "[null, false]" ]
  # The mean of all is there on request.
  "$rangefinder" show --quiet $file regions.warmup=off > out
  has out "16.50 ms"
  not grep -qF "lack the first instances" out
done

# Where no instance takes longer than the others, there is no warm-up.
build=${RANGEFINDER_BUILD:-$source_dir/build/release}
if [ ! -x "$build/trace_from_text" ]; then
  left_out "a region without a longer instance: no $build/trace_from_text"
  exit 0
fi
{
  echo "process pid=7 exe=/usr/bin/app"
  for at in 10 110 210 310 410; do echo "$at push A"; echo "$((at + 50)) pop"; done
} > text
"$build/trace_from_text" < text > even.rftrace
"$rangefinder" summarize --quiet even.rftrace -o even.rfsum
"$rangefinder" show --quiet even.rfsum > out
has out "50.00 µs"
