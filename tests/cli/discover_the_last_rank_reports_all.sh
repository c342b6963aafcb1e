#!/bin/bash
. "$(dirname "$0")/common.sh"

build=${RANGEFINDER_BUILD:-$source_dir/build/release}
program=$build/inject_ranges
export RANGEFINDER_INJECT_LIBRARY=$build/librangefinder_inject.so
[ -x "$program" ] || skip "no $program"
[ -e "$RANGEFINDER_INJECT_LIBRARY" ] || skip "no $RANGEFINDER_INJECT_LIBRARY"

rank() {
  RANK=$1 WORLD_SIZE=2 LOCAL_RANK=$1 "$rangefinder" discover \
    hydra.run.dir="$t/run" pipeline.trace.mode=regions -- "$program" nested \
    > "out$1" 2> "err$1"
}
rank 1
has err1 "rank 1: 1 of 2 ranks are done"
[ ! -e run/report.md ]
rank 0
has err0 "rank 0 is the last of 2: reporting them all"
has out0 run/ncu/regions/report.md
[ "$(find run/trace -name '*.rftrace' | wc -l)" = 2 ]
