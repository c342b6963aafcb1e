#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# The program runs once under the tracer, and ncu makes no run to find regions.
FAKE_NCU_ARGV=$t/argv profile pipeline.ncu.ncu_cli.replay_mode=range \
  "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'" -- "$ranges" nested 3 > out 2> err
[ "$(wc -l < argv)" = 2 ]
[ ! -e run/discovery ]
has err "under the tracer first" "9 ranges x " "in 2 runs"
[ "$(json run/ncu/manifest.json '[r["regions"] for r in d["runs"]]')" = '[["A", "B"], ["A/A::A1"]]' ]
[ "$(json run/ncu/manifest.json 'd["trace"]["status"]')" = ok ]
[ "$(json run/ncu/manifest.json 'd["trace"]["seconds"] > 0')" = true ]
[ "$(json run/ncu/manifest.json 'len(d["trace"]["files"])')" = 1 ]
[ "$(json run/ncu/manifest.json '[d["cost"]["units"], d["cost"]["runs"], d["cost"]["spent"]["passes"]]')" = "[9, 2, 10]" ]
# A region without a kernel cannot be measured.
not grep -q idle argv
