#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# The recorded report has A, B and prefill, and no A::A1.
profile pipeline.ncu.ncu_cli.replay_mode=range \
  "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'" -- "$ranges" nested 1 > out 2> err
has out "A/A::A1 was not measured as a whole in range replay" "app-range"
not grep -q "A was not measured" out
# A report made later says the same.
rm -r run/ncu/regions
"$rangefinder" report run > out 2> err
has run/ncu/regions/report.md "A/A::A1 was not measured as a whole in range replay"

# A range in which the program launched nothing this time: ncu goes on, and so
# do we, in the same mode.
FAKE_NCU_ARGV=$t/argv FAKE_NCU_FAIL=empty_range \
  profile pipeline.ncu.ncu_cli.replay_mode=range hydra.run.dir="$t/empty" \
  "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'" -- "$ranges" nested 1 > out 2> err
[ "$(wc -l < argv)" = 2 ]
not grep -q app-range argv
has out "A/A::A1 was not measured as a whole in range replay: nothing was launched in such"
