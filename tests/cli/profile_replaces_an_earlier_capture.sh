#!/usr/bin/env bash
# A second capture into a run directory replaces the first, so that no report has
# both. A rank of a job replaces its own traces.
. "$(dirname "$0")/common.sh"
needs_tracer
launches() { "$rangefinder" show --format json "$1" > json 2> err &&
  json json 'd["scopes"][0]["totals"]["kernel_count"]'; }
discover() { "$rangefinder" discover "$@" > out 2> err; }

discover hydra.run.dir="$t/run" -- "$ranges" nested 1
[ "$(launches run)" = 10 ]
# The files of the user beside them stay.
cp "$(find run/trace -name '*.rftrace')" run/mine.rftrace
mkdir run/notes && touch run/notes/x.rftrace
discover hydra.run.dir="$t/run" -- "$ranges" nested 3
[ "$(find run/trace -name '*.rftrace' | wc -l)" = 1 ]
[ -e run/mine.rftrace ] && [ -e run/notes/x.rftrace ]
rm run/mine.rftrace
[ "$(launches run)" = 26 ]

# A slash at the end changes nothing, and no link is followed.
cp "$(find run/trace -name '*.rftrace')" run/mine.rftrace
discover hydra.run.dir="$t/run/" -- "$ranges" nested 3
[ -e run/mine.rftrace ]
mkdir linked theirs && mv run/mine.rftrace theirs && ln -s "$t/theirs" linked/trace
discover hydra.run.dir="$t/linked" -- "$ranges" nested 1 || true
[ -e theirs/mine.rftrace ]

# A program that is not started replaces nothing, nor does one that is to keep the
# capture.
status 4 "$rangefinder" profile hydra.run.dir="$t/run" pipeline.ncu.enable=true \
  pipeline.ncu.path="$t/nobody" -- "$ranges" nested 1 > out 2> err
status 4 env NVTX_INJECTION64_PATH=/x/other.so "$rangefinder" profile \
  hydra.run.dir="$t/run" -- "$ranges" nested 1 > out 2> err
status 2 "$rangefinder" discover hydra.run.dir="$t/run" -- ./nobody > out 2> err
status 2 "$rangefinder" discover hydra.run.dir="$t/run" \
  pipeline.ncu.ncu_cli.force_overwrite=false -- "$ranges" nested 1 > out 2> err
has err "holds a capture already" "force_overwrite=false keeps it"
[ "$(launches run)" = 26 ]

# After a capture of ncu, and the other way round.
profile -- "$ranges" nested 1 > out 2> err
"$rangefinder" profile hydra.run.dir="$t/run" -- "$ranges" nested 1 > out 2> err
[ "$(launches run)" = 10 ]
[ -z "$(find run/ncu -name '*.ncu-rep')" ]

# compare keeps the runs of each side in folders of their own.
for steps in 3 1; do
  "$rangefinder" compare --runs 1 hydra.run.dir="$t/both" -- "$ranges" nested $steps \
    ::: "$ranges" nested $steps > out 2> err || true
done
[ "$(launches both/base-1)" = 10 ]

# In a folder that is no run directory, nothing is a capture of ours.
mkdir -p mine/trace mine/nsys mine/ncu && touch mine/trace/notes.txt mine/nsys/mine.sqlite
cp "$fixtures/graph_graph.ncu-rep" mine/ncu/by_hand.ncu-rep
discover hydra.run.dir="$t/mine" -- "$ranges" nested 1
[ -e mine/trace/notes.txt ] && [ -e mine/nsys/mine.sqlite ] &&
  [ -e mine/ncu/by_hand.ncu-rep ]

# Ranks replace their own files, and files that no rank of this job made.
discover hydra.run.dir="$t/job" -- "$ranges" nested 3
RANK=2 WORLD_SIZE=3 LOCAL_RANK=2 discover hydra.run.dir="$t/job" -- "$ranges" nested 3
for _ in 1 2; do
  for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank discover hydra.run.dir="$t/job" \
      -- "$ranges" nested 1
  done
  [ "$(find job/trace -name '*.rftrace' | wc -l)" = 2 ]
done
[ "$(launches job)" = 20 ]
