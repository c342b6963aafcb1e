#!/bin/bash
# Two ranks with NCCL on two GPUs: a trace each, with its rank.
. "$(dirname "$0")/programs/tracing.sh"
[ "$(nvidia-smi -L | wc -l)" -ge 2 ] || skip "fewer than two GPUs"
need_torch
out=$work/summary
traced trace "$work/trace" python3 -m torch.distributed.run \
  --nproc-per-node=2 --standalone "$here/torch_ranks.py" \
  > "$work/stdout" 2> "$work/stderr"
check "the program ends as without the tracer" $?
"$summary" "$work/trace" > "$out"
# NCCL opens a range in the first call and leaves it open, so the others have it
# around them.
awk '$1 == "all_reduce" || $3 == "all_reduce" {
       if ($0 !~ /all_reduce \| pid=/) next
       match($0, /pid=[0-9]+/); pid = substr($0, RSTART, RLENGTH)
       match($0, /instances=[0-9]+/)
       n[pid] += substr($0, RSTART + 10, RLENGTH - 10)
     }
     END { for (p in n) { ranks++; if (n[p] != 5) bad = 1 }
           exit ranks != 2 || bad }' "$out"
check "all_reduce in both ranks" $?
expect_not "every kernel has its launch" "$out" 'unlinked_kernel'
done_now "$out"
