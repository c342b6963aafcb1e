#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# A program without ranges: the heading says so, and the kernels are those of the
# whole program; nothing is called (unattributed).
check() {
  for file in run/report.md run/ncu/regions/report.md; do
    has $file "## No matching regions" "## The whole program, scope" "| saxpy "
    not grep -q "unattributed" $file
  done
  has out "No matching regions" saxpy
  not grep -q "unattributed" out
  [ "$(json run/ncu/regions/report.json '[d["scopes"][0]["totals"]["kernel_count"], [r["path"] for r in d["scopes"][0]["regions"]]]')" = '[3, [[]]]' ]
}
"$rangefinder" discover hydra.run.dir="$t/run" -- "$ranges" bare 3 > out 2> err
check
has out "no NVTX range was open at a launch"
rm -r run
profile -- "$ranges" bare 3 > out 2> err
check
has out "the program opened no NVTX range"
rm -r run

# ncu ran and measured nothing: the same heading, and the regions of the baseline
# run with its kernels.
FAKE_NCU_FAIL=no_kernels profile -- "$ranges" nested 2 > out 2> err
has run/ncu/regions/report.md "## No matching regions" "measured no kernels" "A::A1" saxpy
rm -r run

# Ranges that the program does not have leave the regions of the whole program.
profile "pipeline.ncu.ncu_cli.nvtx.include='nosuch*'" -- "$ranges" nested 2 > out 2> err
has run/ncu/regions/report.md "## No matching regions" "nosuch" "A::A1"
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 18 ]
