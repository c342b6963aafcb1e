#!/bin/bash
. "$(dirname "$0")/common.sh"

for rank in 0 1; do
  RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank profile -- true \
    > "out$rank" 2> "err$rank" &
done
wait %1
wait %2
[ -s run/ncu/run.rank0.ncu-rep ]
[ -s run/ncu/run.rank1.ncu-rep ]
"$rangefinder" report run > out
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 56 ]
