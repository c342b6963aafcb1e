#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer
export FAKE_NCU_ARGV=$t/argv

# A mistyped kernel name is reported before ncu runs, with existing names; the
# run ends with 0, and its report has a section about it.
for asked in pipeline.ncu.ncu_cli.kernel_name=saxpi regions.kernels.include=saxpi; do
  status 0 profile "$asked" -- "$ranges" nested 2 > out 2> err
  has err "${asked%=*}: no kernel of the program" "did you mean 'saxpy'?" \
    "ncu has nothing to measure and is not started"
  [ ! -e argv ]
  for file in run/report.md run/ncu/regions/report.md; do
    has $file "## No matching kernels"
  done
  rm -r run
done

# Of two patterns the one without a match is named; kernels are found by the
# names that tables show.
status 0 profile "regions.kernels.include=[saxpy,nosuch*]" -- "$ranges" nested 2 > out 2> err
has err "no kernel of the program matches 'nosuch*'; there are: "
[ -e argv ]
kernels='sorted({k["kernel_name"] for r in d["scopes"][0]["regions"] for k in r["kernels"]})'
[ "$(json run/ncu/regions/report.json "$kernels")" = \
  '["saxpy(int, float, const float *, float *)"]' ]
"$rangefinder" show --format json run "regions.kernels.include='burn<256>'" > burn.json
[ "$(json burn.json "$kernels")" = '["void burn<(int)256>(int, float *)"]' ]
