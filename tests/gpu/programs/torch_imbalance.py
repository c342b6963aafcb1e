"""Two steps of work and an all-reduce on each rank; rank R computes R + 1 times
as much as rank 0. Regions: step > compute, step > all_reduce."""
import os

import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
nvtx = torch.cuda.nvtx
data = torch.ones(1 << 22, device="cuda")
dist.all_reduce(data)  # NCCL connects outside of the regions
torch.cuda.synchronize()
for _ in range(2):
    with nvtx.range("step"):
        with nvtx.range("compute"):
            for _ in range(4 * (rank + 1)):
                data.mul_(1.0001)
        with nvtx.range("all_reduce"):
            dist.all_reduce(data)
    torch.cuda.synchronize()
dist.destroy_process_group()
