#!/usr/bin/env bash
# Reports of which one is of a part of the regions: said; and what moved with a
# kernel's time is none of the time itself.
. "$(dirname "$0")/common.sh"

"$rangefinder" report "$fixtures/nested_basic.ncu-rep" hydra.run.dir="$t/all" \
  > out 2> err
"$rangefinder" report "$fixtures/multiproc.ncu-rep" hydra.run.dir="$t/part" \
  regions.include='A*' \
  > out 2> err
"$rangefinder" diff "$fixtures/nested_basic.ncu-rep" \
  "$fixtures/multiproc.ncu-rep" > out 2> err
has out "processes differ: base 1, new 2"
has out "sm__throughput.avg.pct_of_peak_sustained_elapsed"
not grep -q "gpu__time_duration.* %" out
"$rangefinder" diff "$t/all/ncu/regions/report.json" \
  "$t/part/ncu/regions/report.json" > json 2> err
has json "processes differ: base 1, new 2"
has json "regions differ: base all, new A*"
