#!/bin/bash
. "$(dirname "$0")/common.sh"

[ -e /dev/nvidia0 ] && skip "this machine has a GPU"
status 4 "$rangefinder" doctor > out 2> err
has out GPU driver permission "->"
grep -q '^sampling .*not tried: there is no GPU' out
grep -q '^counting .*not tried: there is no GPU' out
has err "profiling cannot work here"
status 4 "$rangefinder" doctor --format json > doctor.json 2> err
[ "$(json doctor.json '[c["ok"] for c in d if c["check"] == "GPU"]')" = "[false]" ]
[ "$(json doctor.json 'sorted(set().union(*d))')" = '["check", "fix", "found", "ok"]' ]

# The CUPTI that is found is the one that programs are traced with.
needs_tracer
status 4 "$rangefinder" doctor --format json > doctor.json 2> err
[ "$(json doctor.json '[c["found"].split(",")[0] for c in d if "CUPTI" in c["check"]]')" \
  = "[\"$RANGEFINDER_CUPTI_PATH\"]" ]
