#!/bin/bash
# A manifest that a full disk cut short loses none of the captures beside it.
. "$(dirname "$0")/common.sh"

profile pipeline.trace.enable=false -- true > out 2> err
kernels() { json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]'; }
[ "$(kernels)" = 28 ]
cp run/ncu/manifest.json whole.json

for bytes in 0 1 500; do
  head -c $bytes whole.json > run/ncu/manifest.json
  "$rangefinder" report run > out 2> err
  [ "$(kernels)" = 28 ]
  has err manifest
  [ "$(json run/ncu/regions/report.json '[n["kind"] for n in d["notes"]].count("damaged_manifest")')" = 1 ]
done

# One rank's of two: the other one's captures are not read twice.
cp run/ncu/run.ncu-rep run/ncu/run.rank1.ncu-rep
sed 's/"rank": null/"rank": {"rank": 0}/' whole.json > run/ncu/manifest.rank0.json
: > run/ncu/manifest.rank1.json
rm run/ncu/manifest.json
"$rangefinder" report run > out 2> err
[ "$(kernels)" = 56 ]

rm run/ncu/*.ncu-rep run/ncu/raw.csv run/ncu/manifest.*
: > run/ncu/manifest.json
status 5 "$rangefinder" report run > out 2> err
has err manifest
