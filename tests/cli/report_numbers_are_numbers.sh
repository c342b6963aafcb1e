#!/bin/bash
# Times and counts of report.json are numbers wherever the trace or the capture
# knows them: 0 of an empty region, of unmeasured ones those of the baseline run.
. "$(dirname "$0")/common.sh"
build=${RANGEFINDER_BUILD:-$source_dir/build/release}
draw=$build/trace_from_text
[ -x "$draw" ] || skip "no $draw"

"$draw" > run.rftrace << 'TRACE'
gpu 0 NVIDIA_H200
thread 11
10 push work
12 launch 1
20 pop
30 push empty
40 pop
kernel k 15-35 of=1
TRACE
"$rangefinder" show --quiet --format json run.rftrace > run.json
[ "$(json run.json '[[r["name"], r["total_ms"], r["kernel_count"], r["total_source"]]
  for r in d["scopes"][0]["regions"]]')" = \
  '[["work", 0.02, 1, "undisturbed"], ["empty", 0, 0, null]]' ]

# The aggregate is found without counting; a process has a text beside its number.
[ "$(json run.json 'd["scopes"][d["aggregate_scope"]]["scope"]')" = aggregate ]
[ "$(json run.json 'all(r["process_text"] == str(r["process"])
  for s in d["scopes"][1:] for r in [s, *s["regions"]])')" = true ]
"$rangefinder" show --quiet --format json run.rftrace regions.aggregate=false > alone.json
[ "$(json alone.json 'd["aggregate_scope"]')" = None ]
