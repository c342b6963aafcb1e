#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

for rank in 0 1; do
  RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank profile -- "$ranges" nested 2 \
    > "out$rank" 2> "err$rank" &
done
wait %1
wait %2
[ -s run/ncu/run.rank0.ncu-rep ]
[ -s run/ncu/run.rank1.ncu-rep ]
# Each has its own trace, in the common folder.
for rank in 0 1; do
  [ "$(json run/ncu/manifest.rank$rank.json '[f.startswith("trace/rank'$rank'-") for f in d["trace"]["files"]]')" = "[true]" ]
done
[ "$(find run/trace -name 'rank*.rftrace' | wc -l)" = 2 ]
"$rangefinder" report run > out
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 56 ]
