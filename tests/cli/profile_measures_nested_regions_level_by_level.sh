#!/bin/bash
. "$(dirname "$0")/common.sh"

# A, A::A1 and B take two runs and not three.
FAKE_NCU_ARGV=$t/argv profile pipeline.ncu.ncu_cli.replay_mode=range \
  "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'" -- true > out 2> err
[ "$(json run/ncu/manifest.json '[len(r["regions"]) for r in d["runs"]]')" = "[2, 1]" ]
[ "$(grep -c '"range"' argv)" = 2 ]
