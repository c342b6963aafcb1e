"""Work on the GPUs that are named, in turns, with an NVTX range around each turn.

    two_devices.py TURNS DEVICE...

A turn is a matrix product, of twice the rows on every further GPU, and a sum.
"""
import sys

import torch

nvtx = torch.cuda.nvtx
turns = int(sys.argv[1])
devices = [torch.device("cuda", int(index)) for index in sys.argv[2:]]
factors = []
for number, device in enumerate(devices):
    rows = 1024 << number
    factors.append((torch.ones(rows, 2048, device=device, dtype=torch.half),
                    torch.ones(2048, 2048, device=device, dtype=torch.half)))
for _ in range(turns):
    for number, (device, (left, right)) in enumerate(zip(devices, factors)):
        nvtx.range_push(f"turn{number}")
        with torch.cuda.device(device):
            product = left @ right
            total = product.float().sum()
        nvtx.range_pop()
for device in devices:
    torch.cuda.synchronize(device)
print("sum", float(total))
