#!/usr/bin/env bash
# Two ranks with NCCL, traced on two H200s: the same checks as of the drawn ones
# (a_late_rank_is_named.sh), against what the program measured itself there.
. "$(dirname "$0")/common.sh"

mkdir ranks
for rank in 0 1; do
  zstd -qdc "$fixtures/nccl_rank$rank.rftrace.zst" > ranks/$rank.rftrace
done
check=$source_dir/tests/gpu/programs/check_ranks.py

"$rangefinder" report ranks/*.rftrace hydra.run.dir="$t/traces" > out 2> err
PYTHONDONTWRITEBYTECODE=1 python3 "$check" "$t/traces" "$fixtures/nccl_truth" no-sizes \
  > out

for rank in 0 1; do
  "$rangefinder" summarize ranks/$rank.rftrace -o $rank.rfsum > out 2> err
done
"$rangefinder" merge 1.rfsum 0.rfsum -o both.rfsum > out 2> err
"$rangefinder" report both.rfsum hydra.run.dir="$t/summary" > out 2> err
PYTHONDONTWRITEBYTECODE=1 python3 "$check" "$t/summary" "$fixtures/nccl_truth" no-sizes \
  > out
