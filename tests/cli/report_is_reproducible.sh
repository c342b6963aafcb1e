#!/bin/bash
# The report of a bundled capture, made twice on a machine with neither GPU nor
# ncu, is the same but for the time it was made.
. "$(dirname "$0")/common.sh"
cd "$t"

for run in once twice; do
  "$rangefinder" report "$fixtures/nested_basic.ncu-rep" hydra.run.dir="$t/$run" > /dev/null
  find "$run" -type f -exec sed -i -E 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/TIME/g' {} +
done
diff -r once twice
for run in three four; do
  SOURCE_DATE_EPOCH=1700000000 "$rangefinder" report \
    "$fixtures/multiproc.ncu-rep" hydra.run.dir="$t/$run" > /dev/null
done
diff -r three four
grep -q '"generated_at": "2023-11-14T22:13:20Z"' three/ncu/regions/report.json
head -1 three/ncu/regions/report.md | grep -qx '# NCU Region Reports'
[[ -f once/ncu/regions/A__A1/report.md ]]
