#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer
range_mode=(pipeline.ncu.ncu_cli.replay_mode=range
  "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'")
trace_of() { json "$1/ncu/manifest.json" 'd["trace"] and d["trace"][sys.argv[3]]' "$2"; }
json() {
  python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
value = eval(sys.argv[2])
print(value)' "$@"
}

# No library, another tool's hook, a program that calls neither NVTX nor CUDA:
# a run of ncu finds the regions, as it does with the tracer off.
RANGEFINDER_INJECT_LIBRARY=/nonexistent.so FAKE_NCU_ARGV=$t/argv.1 profile \
  "${range_mode[@]}" -- "$ranges" nested 2 > out 2> err
[ "$(trace_of run status)" = none ]
has run/ncu/regions/report.md "was not traced" "/nonexistent.so"
NVTX_INJECTION64_PATH=/opt/tool.so FAKE_NCU_ARGV=$t/argv.2 profile \
  "${range_mode[@]}" -- "$ranges" nested 2 > out 2> err
has run/ncu/regions/report.md "another tool"
FAKE_NCU_ARGV=$t/argv.3 profile "${range_mode[@]}" -- true > out 2> err
has run/ncu/regions/report.md "called neither NVTX nor CUDA"
# Another tool uses CUPTI: the ranges are known, and not their launches.
FAKE_CUPTI=busy FAKE_NCU_ARGV=$t/argv.4 profile "${range_mode[@]}" \
  -- "$ranges" nested 2 > out 2> err
[ "$(trace_of run mode)" = regions ]
has run/ncu/regions/report.md "ranges and no kernels"
FAKE_NCU_ARGV=$t/argv.5 profile pipeline.trace.enable=false "${range_mode[@]}" \
  -- true > out 2> err
[ "$(json run/ncu/manifest.json 'd["trace"]')" = None ]
for i in 1 2 3 4 5; do
  [ "$(wc -l < argv.$i)" = 3 ]
  has "argv.$i" '"[A/A::A1/"'
done
