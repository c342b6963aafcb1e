#!/bin/bash
. "$(dirname "$0")/common.sh"

FAKE_NCU_FAIL=range_api FAKE_NCU_ARGV=$t/argv profile \
  pipeline.ncu.ncu_cli.replay_mode=range \
  "pipeline.ncu.ncu_cli.nvtx.include='A;B'" -- true > out 2> err
has run/ncu/regions/report.md cuGraphLaunch app-range
grep -q '"app-range"' argv
