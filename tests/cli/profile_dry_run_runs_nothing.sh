#!/bin/bash
. "$(dirname "$0")/common.sh"
export FAKE_NCU_ARGV=$t/argv

# In no mode does anything run; the plan names what it cannot know.
dry() {
  "$rangefinder" profile --dry-run hydra.run.dir="$t/run" "$@" -- touch ran > out 2> err
  [ ! -e ran ]
  [ ! -e argv ]
  [ ! -e run ]
}
dry pipeline.ncu.enable=true
has out "1 run of ncu" "--replay-mode kernel" "touch ran" "about 21 passes for each launch" \
  "not known before the program runs, first under the tracer: the number of launches and the cost"
for mode in range app-range; do
  dry pipeline.ncu.ncu_cli.replay_mode=$mode pipeline.ncu.ncu_cli.nvtx.include=A
  has out "--replay-mode $mode" "passes for each range" \
    "the regions and their nesting, which takes one run of ncu a level"
done
dry pipeline.ncu.enable=true pipeline.ncu.budget=1m regions.instances.skip=2 \
  pipeline.trace.enable=false
has out "not known before the program runs: the launches of the chosen instances; " \
  "the measurements that the budget leaves out"
dry pipeline.counters.mode=off
has out "1 run under the tracer" "no counters"
