#!/usr/bin/env bash
# Of the traces of two ranks a report names the late one in each phase, and why,
# and its waiting is what was planted; and of their summary as well. The checks
# are those of tests/gpu/ranks_nccl.sh.
. "$(dirname "$0")/common.sh"

program=${RANGEFINDER_BUILD:-$source_dir/build/release}/trace_from_text
[ -x "$program" ] || skip "no $program"
mkdir ranks
python3 "$source_dir/tests/cli/two_ranks.py" "$program" ranks
check=$source_dir/tests/gpu/programs/check_ranks.py

"$rangefinder" report ranks/*.rftrace hydra.run.dir="$t/traces" > out 2> err
PYTHONDONTWRITEBYTECODE=1 python3 "$check" "$t/traces" ranks no-sizes > out

"$rangefinder" summarize ranks/*.rftrace -o both.rfsum > out 2> err
"$rangefinder" report both.rfsum hydra.run.dir="$t/summary" > out 2> err
PYTHONDONTWRITEBYTECODE=1 python3 "$check" "$t/summary" ranks no-sizes > out
