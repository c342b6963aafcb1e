"""Five all-reduces in a range of their own, on as many GPUs as ranks."""
import os

import torch
import torch.distributed as dist

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
data = torch.ones(1 << 20, device="cuda")
for _ in range(5):
    with torch.cuda.nvtx.range("all_reduce"):
        dist.all_reduce(data)
torch.cuda.synchronize()
dist.destroy_process_group()
