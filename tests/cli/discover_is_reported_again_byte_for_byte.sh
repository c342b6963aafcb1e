#!/bin/bash
# `report` of the directory of `discover` writes the same files again, where the
# directory is named as it was; its notes are counted once.
. "$(dirname "$0")/common.sh"
needs_tracer
export SOURCE_DATE_EPOCH=1700000000

"$rangefinder" discover hydra.run.dir=run -- "$ranges" threads 4 100 > out 2> err
cp -r run first
"$rangefinder" report "$PWD/run" > out 2> err
diff -r first run

# The ranges are there, and the note does not deny them.
has first/ncu/regions/report.json '"thread 0"' 'holds ranges, but no kernel'
not grep -rq 'no kernel and no range' first
