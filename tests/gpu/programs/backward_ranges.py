"""Training steps of two layers with ranges, under emit_nvtx: backward_ranges.py STEPS"""
import sys

import torch

nvtx = torch.cuda.nvtx
layers = [torch.nn.Linear(1024, 1024, device="cuda") for _ in range(2)]
x = torch.randn(512, 1024, device="cuda")
with torch.autograd.profiler.emit_nvtx():
    for _ in range(int(sys.argv[1])):
        y = x
        for index, layer in enumerate(layers):
            nvtx.range_push(f"layer{index}")
            y = torch.relu(layer(y))
            nvtx.range_pop()
        loss = y.square().mean()
        nvtx.range_push("backward pass")
        loss.backward()
        torch.cuda.synchronize()
        nvtx.range_pop()
