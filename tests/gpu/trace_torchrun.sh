#!/bin/bash
# Two ranks with NCCL on two GPUs: a trace each, with its rank.
. "$(dirname "$0")/programs/tracing.sh"
[ "$(nvidia-smi -L | wc -l)" -ge 2 ] || skip "fewer than two GPUs"
python3 -c 'import torch; torch.zeros(1).cuda()' 2> /dev/null ||
  skip "no PyTorch with CUDA"
out=$work/summary
traced trace "$work/trace" python3 -m torch.distributed.run \
  --nproc-per-node=2 --standalone "$here/torch_ranks.py" \
  > "$work/stdout" 2> "$work/stderr"
check "the program ends as without the tracer" $?
"$summary" "$work/trace" > "$out"
[ "$(grep -cE '^all_reduce \|.* instances=5 .*kernels=[1-9]' "$out")" -eq 2 ]
check "all_reduce in both ranks" $?
expect_not "every kernel has its launch" "$out" 'unlinked_kernel'
done_now "$out"
