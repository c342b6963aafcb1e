#!/bin/bash
. "$(dirname "$0")/common.sh"

# A mistyped include measures nothing: said before ncu would run, with names
# that are there; the run ends with 0, and its report says so in a section.
check() {
  has err "no region of the program matches 'nosuch*'" "ncu has nothing to measure"
  [ ! -e argv ]
  has run/report.md "## No matching regions" "nosuch"
  has run/ncu/regions/report.md "## No matching regions"
  [ "$(json run/ncu/regions/report.json '"no_matching_regions" in [n["kind"] for n in d["notes"]]')" = true ]
  has err "A"
  rm -rf run argv
}
needs_tracer
export FAKE_NCU_ARGV=$t/argv
for mode in kernel application range app-range; do
  status 0 profile "pipeline.ncu.ncu_cli.replay_mode=$mode" \
    "pipeline.ncu.ncu_cli.nvtx.include='nosuch*'" -- "$ranges" nested 2 > out 2> err
  check
done

# Without a trace ncu finds the regions itself, in range modes.
: > argv
status 0 profile pipeline.trace.enable=false pipeline.ncu.ncu_cli.replay_mode=range \
  "pipeline.ncu.ncu_cli.nvtx.include='nosuch*'" -- true > out 2> err
has err "no region of the program matches 'nosuch*'"
[ "$(grep -c replay-mode argv)" = 1 ]
has run/report.md "## No matching regions"
rm -rf run argv

# Of two patterns the one without a match is named, and the other is measured.
status 0 profile pipeline.ncu.ncu_cli.replay_mode=range \
  "pipeline.ncu.ncu_cli.nvtx.include='A;nosuch*'" -- "$ranges" nested 2 > out 2> err
has err "no region of the program matches 'nosuch*'"
[ "$(json run/ncu/manifest.json '[r["regions"] for r in d["runs"]]')" = '[["A"]]' ]
rm -rf run argv

# A program without ranges: the message says so, and lists no names.
status 0 profile -- "$ranges" bare 3 > out 2> err
has err "the program opened no NVTX range" "gating_nvtx=false"
not grep -q "names" err
[ ! -e argv ]
has run/report.md "## No matching regions" "opened no NVTX range"
not grep -q "Measured by:  replay" run/report.md
