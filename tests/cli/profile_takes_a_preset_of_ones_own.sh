#!/bin/bash
. "$(dirname "$0")/common.sh"

# As docs/configuration.md has it: a preset chosen on the command line is what is
# collected, in a folder of one's own, too.
mkdir -p conf/profiling/ncu
printf 'ncu_cli:\n  metrics: [gpu__time_duration.sum, dram__bytes.sum]\n' \
  > conf/profiling/ncu/ncu.mine.yaml
export FAKE_NCU_ARGV=$t/argv
status 0 "$rangefinder" profile hydra.run.dir="$t/run" --config-dir conf \
  profiling/ncu@pipeline.ncu=ncu.mine -- true > out 2> err
has argv "gpu__time_duration.sum,dram__bytes.sum"
[ -e run/ncu/run.ncu-rep ]

# The user's own primary file decides what is collected.
printf 'pipeline:\n  ncu:\n    enable: false\nhydra:\n  run:\n    dir: %s\n' "$t/own" > conf/config.yaml
rm argv
status 0 "$rangefinder" profile --config-dir conf -- true > out 2> err
[ ! -e argv ]

# Metric names of an older tool are taken for today's.
status 0 profile 'pipeline.ncu.ncu_cli.metrics=[flop_count_sp]' pipeline.ncu.ncu_cli.set=null \
  'pipeline.ncu.ncu_cli.sections=[]' -- true > out 2> err
has argv "sass_thread_inst_executed_op_ffma_pred_on.sum"
not grep -q "no chip has" err
