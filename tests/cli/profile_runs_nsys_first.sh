#!/bin/bash
. "$(dirname "$0")/common.sh"

nsys() { "$rangefinder" profile hydra.run.dir="$t/run" pipeline.nsys.enable=true "$@"; }

# Without nsys nothing runs, and the message has the remedy.
status 4 nsys pipeline.nsys.path=no-such-nsys -- touch ran > out 2> err
has err "Nsight Systems was not found (no-such-nsys)" pipeline.nsys.path= \
  pipeline.nsys.enable=false
[ ! -e ran ] && [ ! -e run/ran ] && [ ! -e run ]

ln -s "$source_dir/tests/fake_nsys/nsys" bin/nsys
export FAKE_NSYS_ARGV=$t/argv
words() { json <(sed -n "${1}p" argv) 'd'; }

# nsys alone: the run, its export, the report of it.
nsys -- true > out 2> err
[ "$(words 1)" = "[\"profile\", \"--trace=cuda,nvtx,osrt\", \
\"--force-overwrite=true\", \"--output=$t/run/nsys/run\", \"true\"]" ]
[ "$(words 2)" = "[\"export\", \"--type=sqlite\", \"--force-overwrite=true\", \
\"--output=$t/run/nsys/run.sqlite\", \"$t/run/nsys/run.nsys-rep\"]" ]
[ "$(wc -l < argv)" = 2 ]
[ -s run/nsys/run.nsys-rep ] && [ -s run/nsys/run.sqlite ]
[ -s run/config.yaml ] && [ -s run/env.json ] && [ -s run/inputs.yaml ]
has run/nsys/cmd.txt "nsys profile --trace=cuda,nvtx,osrt" "nsys export"
has out A::A1 run/ncu/regions/report.md
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 7 ]
"$rangefinder" show run > out
has out A::A1
"$rangefinder" kernels run > out
has out "void gemm<(int)4>(float *)"

# Every key has its flag; a range needs names that are not registered.
rm argv
nsys pipeline.nsys.sample=cpu pipeline.nsys.capture_range=nvtx \
  pipeline.nsys.nvtx_capture=decode@LLM pipeline.nsys.capture_range_end=stop \
  'pipeline.nsys.trace=[cuda,nvtx]' -- true > out 2> err
[ "$(words 1)" = "[\"profile\", \"--trace=cuda,nvtx\", \"--sample=cpu\", \
\"--capture-range=nvtx\", \"--capture-range-end=stop\", \
\"--nvtx-capture=decode@LLM\", \
\"--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0\", \"--force-overwrite=true\", \
\"--output=$t/run/nsys/run\", \"true\"]" ]
# Without a range to wait for, the whole run is collected, with a warning.
rm argv
nsys pipeline.nsys.capture_range=nvtx pipeline.nsys.nvtx_capture=null -- true \
  > out 2> err
has err "capture_range=nvtx needs pipeline.nsys.nvtx_capture"
not grep -q capture-range argv

# nsys, then ncu; the kernels of ncu stand, and nothing is counted twice.
rm -rf run argv
nsys pipeline.ncu.enable=true -- true > out 2> err
[ -s run/nsys/run.sqlite ] && [ -s run/ncu/run.ncu-rep ]
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 28 ]

# Failures: of nsys, of the export, of the program.
FAKE_NSYS_FAIL=no_report status 4 nsys -- true > out 2> err
has err "nsys left no report"
FAKE_NSYS_FAIL="export" status 4 nsys -- true > out 2> err
has err "could not export" "disk quota exceeded"
status 3 nsys -- false > out 2> err
has err "the program failed under nsys with exit status 1"
has out A::A1

# A dry run runs nothing.
rm argv
nsys --dry-run -- true > out 2> err
has out "nsys profile --trace" "nsys export --type=sqlite"
[ ! -e argv ]
