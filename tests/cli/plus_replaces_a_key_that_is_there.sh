#!/bin/bash
. "$(dirname "$0")/common.sh"

# Scripts of the Python tool write + before keys that are there now: they are
# replaced, with a note. Hydra's own composer refuses them.
"$rangefinder" config +pipeline.ncu.ncu_cli.replay_mode=range +device=cuda:1 \
  +mine=3 '+report.formats=[md]' +pipeline.ncu.ncu_cli.nvtx.include='decode*' > out 2> err
has out "replay_mode: range" "device: cuda:1" "mine: 3" "include: decode*"
has err "note: +device=cuda:1 replaces the value of a key that is there" \
  "note: +pipeline.ncu.ncu_cli.replay_mode=range replaces" "note: +report.formats=[md] replaces"
not grep -qE "mine|decode" err
"$rangefinder" config +profiling/ncu@pipeline.ncu=ncu.high > out 2> err
has out "InstructionStats"
has err "note: +profiling/ncu@pipeline.ncu=ncu.high replaces"
"$rangefinder" config --quiet +device=cuda:1 > out 2> err
[ ! -s err ]

FAKE_NCU_ARGV=$t/argv profile +pipeline.ncu.ncu_cli.replay_mode=app-range \
  +pipeline.ncu.ncu_cli.nvtx.include=A -- true > out 2> err
has err "note: +pipeline.ncu.ncu_cli.replay_mode=app-range replaces"
has argv app-range
"$rangefinder" show run +regions.max_rows=3 > out 2> err
has err "note: +regions.max_rows=3 replaces"
