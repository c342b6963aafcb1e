#!/bin/bash
. "$(dirname "$0")/common.sh"

# A good report is not replaced by an empty one.
needs_tracer
profile -- "$ranges" nested 2 > out 2> err
before=$(cat run/ncu/regions/report.json run/report.md | md5sum)
rm run/ncu/*.ncu-rep run/ncu/raw.csv run/trace/*
status 5 "$rangefinder" report run > out 2> err
has err "is missing" "stay as they are"
[ "$(cat run/ncu/regions/report.json run/report.md | md5sum)" = "$before" ]
"$rangefinder" show run > out 2> err
has out "read from a report.json"

# The same of a discovery.
"$rangefinder" discover hydra.run.dir="$t/found" -- "$ranges" nested 2 > out 2> err
before=$(md5sum < found/report.md)
rm -r found/trace
not "$rangefinder" report found > out 2> err
[ "$(md5sum < found/report.md)" = "$before" ]
