#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

FAKE_NCU_ARGV=$t/argv "$rangefinder" profile hydra.run.dir="$t/run" \
  pipeline.ncu.enable=false -- "$ranges" nested 2 > out 2> err
[ ! -e argv ]
has out "A::A1" report.md
has err "pipeline.ncu.enable=true" "running the program once"
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 18 ]

# A dry run of it runs nothing.
"$rangefinder" profile --dry-run hydra.run.dir="$t/dry" \
  pipeline.ncu.enable=false -- touch ran > out 2> err
has out "tracer" "touch ran"
[ ! -e ran ]
[ ! -e dry ]
