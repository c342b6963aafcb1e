#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

FAKE_NCU_ARGV=$t/argv "$rangefinder" profile hydra.run.dir="$t/run" \
  pipeline.ncu.enable=false -- "$ranges" nested 2 > out 2> err
[ ! -e argv ]
has out "A::A1" report.md
has err "pipeline.ncu.enable=true" "running the program once"
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 18 ]

# What was run, and where; ncu was not asked.
has run/config.yaml "hydra:"
[ "$(json run/env.json 'd["tools"]["ncu"]')" = '{"path": "", "version": ""}' ]
has run/inputs.yaml "$ranges" '- "nested"'
RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 "$rangefinder" discover hydra.run.dir=job pipeline.trace.mode=regions \
  -- "$ranges" nested 2 > out 2> err
[ -s job/config.yaml ] && [ -s job/env.rank1.json ] && [ -s job/inputs.rank1.yaml ]

# An interrupted run has these files, and a program that is missing leaves none.
# shellcheck disable=SC2016  # the program is its shell's, and so is $PPID
status 130 "$rangefinder" discover hydra.run.dir=interrupted \
  pipeline.trace.mode=regions -- bash -c 'kill -INT $PPID; sleep 20' > out 2> err
[ -s interrupted/env.json ] && [ -s interrupted/inputs.yaml ]
# Files of the kernel are not read: some never end.
status 0 "$rangefinder" discover hydra.run.dir=kernel pipeline.trace.mode=regions \
  -- true /proc/uptime > out 2> err
grep -A 2 'path: "/proc/uptime"' kernel/inputs.yaml > out
has out "size: 0" "sha256: null"
status 2 "$rangefinder" discover hydra.run.dir=missing -- ./no-such-program > out 2> err
[ ! -e missing ]
[ ! -e argv ]

# A dry run of it runs nothing.
"$rangefinder" profile --dry-run hydra.run.dir="$t/dry" \
  pipeline.ncu.enable=false -- touch ran > out 2> err
has out "tracer" "touch ran"
[ ! -e ran ]
[ ! -e dry ]
