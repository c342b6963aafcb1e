#!/bin/bash
. "$(dirname "$0")/common.sh"

FAKE_NCU_ARGV=$t/argv "$rangefinder" profile --dry-run \
  hydra.run.dir="$t/run" pipeline.ncu.enable=true -- touch ran > out
has out "1 run of ncu" "--replay-mode kernel" "touch ran"
[ ! -e ran ]
[ ! -e argv ]
[ ! -e run ]
has out "passes for each" "known after the run under the tracer"
