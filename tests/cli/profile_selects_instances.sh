#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# ncu numbers the ranges of both regions together: A B A B ...
FAKE_NCU_ARGV=$t/argv profile pipeline.ncu.ncu_cli.replay_mode=range \
  regions.instances.skip=1 regions.instances.count=3 \
  "pipeline.ncu.ncu_cli.nvtx.include='A;B'" -- "$ranges" nested 6 > out 2> err
has argv '"--range-filter", "::3|4|5|6|7|8"'
has err "6 ranges x "
has run/ncu/regions/report.md "6 of 12 instances of the wanted regions"
[ "$(json run/ncu/manifest.json 'd["runs"][0]["instances"]')" = '{"skip": 1, "count": 3}' ]
# The stand-in leaves one range of each.
has run/ncu/regions/report.md "A: 1 instances were measured, 3 were planned"

# More are skipped than there are.
FAKE_NCU_ARGV=$t/none profile pipeline.ncu.ncu_cli.replay_mode=range \
  regions.instances.skip=9 -- "$ranges" nested 2 > out 2> err
has err "ran no more than 9 times"

# Kernel replay takes the launches in these instances where they follow one
# another: those of the second and third round.
rm argv
FAKE_NCU_ARGV=$t/argv profile regions.instances.skip=1 -- "$ranges" nested 3 > out 2> err
not grep -q range-filter argv
has argv '"--launch-skip", "8", "--launch-count", "16"'
has err "16 kernels x "
has run/ncu/regions/report.md "16 launches were to be measured and 28 were"
[ "$(json run/ncu/manifest.json 'd["runs"][0]["instances"]')" = '{"skip": 1, "count": null}' ]
# Others than ncu measured are not there.
"$rangefinder" report run regions.instances.skip=2 > out 2> err
has run/ncu/regions/report.md "not applied, since ncu measured other instances alone"

# Without a trace it takes all, and the report chooses: each ran once there.
rm argv
FAKE_NCU_ARGV=$t/argv profile regions.instances.skip=1 -- true > out 2> err
not grep -qE 'range-filter|launch-count' argv
has run/ncu/regions/report.md "0 of 28 kernels are left out"

status 2 profile pipeline.ncu.ncu_cli.replay_mode=range regions.instances.skip=1 \
  pipeline.ncu.ncu_cli.range_filter=::2 -- true > out 2> err
has err "both choose instances"
