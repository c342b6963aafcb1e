#!/bin/bash
. "$(dirname "$0")/common.sh"
rep=$fixtures/nested_basic.ncu-rep

# One format: nothing of the others is written, and the result that is named is
# there.
status 0 "$rangefinder" report "$rep" hydra.run.dir="$t/run" "report.formats=[json]" > out 2> err
[ "$(cat out)" = "$t/run/ncu/regions/report.json" ]
[ -e "$(cat out)" ]
[ -z "$(find run -name '*.md' -o -name '*.html')" ]
[ -e run/ncu/regions/A/report.json ] && [ -e run/ncu/raw.csv ]

# No table of measurements where none is wanted.
status 0 "$rangefinder" report "$rep" hydra.run.dir="$t/other" \
  pipeline.ncu.ncu_cli.export.csv=false > out 2> err
[ "$(cat out)" = "$t/other/ncu/regions/report.md" ]
[ -z "$(find other -name '*.csv')" ]
[ -e other/ncu/regions/A/report.md ]
