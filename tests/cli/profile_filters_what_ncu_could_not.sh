#!/bin/bash
. "$(dirname "$0")/common.sh"

# The program crashes under an NVTX filter: ncu takes everything, and the report
# what was asked for.
FAKE_NCU_FAIL=crash11 FAKE_NCU_ARGV=$t/argv profile \
  "pipeline.ncu.ncu_cli.nvtx.include='B'" -- true > out 2> err
not grep -q nvtx-include <(tail -1 argv)
kernels='[d["scopes"][0]["totals"]["kernel_count"], [r["name"] for r in d["scopes"][0]["regions"]]]'
[ "$(json run/ncu/regions/report.json "$kernels")" = '[2, ["B"]]' ]
has run/ncu/regions/report.md "26 measurements outside of the selection"
[ "$(json run/ncu/manifest.json 'd["runs"][-1]["filtered"]')" = false ]
rm -r run/ncu/regions
"$rangefinder" report run > out 2> err
[ "$(json run/ncu/regions/report.json "$kernels")" = '[2, ["B"]]' ]
has run/ncu/regions/report.md "26 measurements outside of the selection"
