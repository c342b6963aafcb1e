#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# 240 launches of three kernels; there is time for some of each.
FAKE_NCU_ARGV=$t/argv profile pipeline.ncu.budget=20s -- "$ranges" nested 30 > out 2> err
has argv '"--kernel-id", ":::^(1|' '"--kernel-name-base", "demangled"'
has err "pipeline.ncu.budget (20 s)" " of 240 launches will be measured"
[ "$(json run/ncu/manifest.json 'd["budget"]["seconds"]')" = 20.0 ]
[ "$(json run/ncu/manifest.json '0 < d["budget"]["measured"] < d["budget"]["total"] == 240')" = true ]
[ "$(json run/ncu/manifest.json 'd["budget"]["expected_seconds"] <= 20 and d["budget"]["fits"]')" = true ]
[ "$(json run/ncu/manifest.json 'd["budget"]["measured"] == d["cost"]["units"]')" = true ]

[ "$(json run/ncu/manifest.json 'd["budget"]["by"]')" = region ]
# Who asks for kernels by a name with a colon in it gets the first of each.
rm argv
FAKE_NCU_ARGV=$t/argv profile pipeline.ncu.budget=9s \
  "pipeline.ncu.ncu_cli.kernel_name='regex:a::b|saxpy|burn|stencil'" \
  pipeline.ncu.ncu_cli.kernel_name_base=demangled -- "$ranges" nested 30 > out 2> err
has argv '"--filter-mode", "per-launch-config"' '"--launch-count"'
[ "$(json run/ncu/manifest.json 'd["budget"]["by"]')" = configuration ]

# There is time for all.
rm argv
FAKE_NCU_ARGV=$t/argv profile pipeline.ncu.budget=1h -- "$ranges" nested 2 > out 2> err
not grep -q launch-count argv
[ "$(json run/ncu/manifest.json 'd["budget"]["measured"] == d["budget"]["total"] == 16')" = true ]

# In range modes whole runs are left out, the deepest first.
rm argv
FAKE_NCU_ARGV=$t/argv profile pipeline.ncu.budget=13s \
  pipeline.ncu.ncu_cli.replay_mode=range -- "$ranges" nested 9 > out 2> err
[ "$(wc -l < argv)" = 1 ]
has err "is enough for 1 of 2 runs; not measured: A/A::A1"
[ "$(json run/ncu/manifest.json 'd["budget"]["left_out"]')" = '["A/A::A1"]' ]

# Without a trace nobody knows.
profile pipeline.ncu.budget=20s pipeline.trace.enable=false -- true > out 2> err
has err "budget is not applied"
[ "$(json run/ncu/manifest.json 'd["budget"]')" = None ]
status 2 profile pipeline.ncu.budget=soon -- true > out 2> err
has err "5m, 90s, 1h30m"
