#!/usr/bin/env bash
# One report has only a part of the regions: diff says so. Metrics that moved with
# a kernel's time do not include the time itself.
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

for words in "" "--for agent"; do
  # shellcheck disable=SC2086 # The words of a command.
  "$rangefinder" diff $words "$fixtures/nested_basic.ncu-rep" \
    "$fixtures/nested_basic.ncu-rep" 'regions.exclude=[A]' \
    regions.kernels.include=burn > out 2> err
  has out "Selected regions: all but A; selected kernels: burn"
done

# Damage, and a selection of nothing, are said beside the numbers.
head -c 200000 "$fixtures/nested_basic.ncu-rep" > cut.ncu-rep
"$rangefinder" report --quiet cut.ncu-rep -o cut
for cut in cut.ncu-rep cut/ncu/regions/report.json; do
  "$rangefinder" diff "$fixtures/nested_basic.ncu-rep" $cut > out 2> err
  has out "caveat: $cut: "
  "$rangefinder" diff --format json "$fixtures/nested_basic.ncu-rep" $cut > json
  [ "$(json json 'len(d["caveats"])')" -ge 1 ]
done
"$rangefinder" diff regions.include=typo "$fixtures/nested_basic.ncu-rep" \
  "$fixtures/nested_basic.ncu-rep" > out 2> err
has out "the selection (regions.*) matches nothing"

# Runs that counted have no times, and a gate judges their counters.
counted=$fixtures/graph_counted.rftrace.zst
"$rangefinder" diff --gate "$counted" "$counted" > out 2> err
