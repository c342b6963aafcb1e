#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

FAKE_NCU_ARGV=$t/argv profile pipeline.ncu.ncu_cli.replay_mode=range \
  regions.instances.skip=1 regions.instances.count=3 \
  "pipeline.ncu.ncu_cli.nvtx.include='A;B'" -- "$ranges" nested 6 > out 2> err
has argv '"--range-filter", "::2|3|4"'
has err "6 ranges x "
has run/ncu/regions/report.md "6 of 12 instances of the wanted regions"

# More are skipped than there are.
FAKE_NCU_ARGV=$t/none profile pipeline.ncu.ncu_cli.replay_mode=range \
  regions.instances.skip=9 -- "$ranges" nested 2 > out 2> err
has err "ran no more than 9 times"

# Kernel replay takes all, and the report chooses: each region ran once there.
rm argv
FAKE_NCU_ARGV=$t/argv profile regions.instances.skip=1 -- true > out 2> err
not grep -q range-filter argv
has run/ncu/regions/report.md "0 of 28 kernels are left out"

status 2 profile pipeline.ncu.ncu_cli.replay_mode=range regions.instances.skip=1 \
  pipeline.ncu.ncu_cli.range_filter=::2 -- true > out 2> err
has err "both choose instances"
